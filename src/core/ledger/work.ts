/** The half of the ledger that tools do: the chronicle of calls, files with their state, commands, workspace; errors are in `open-errors.ts`. */
import { actionByName } from "../digest/tool-names.ts";
import { deletes, type ClassifiedCall } from "./readers/commands.ts";
import type { CallResult } from "./readers/results.ts";
import { createOpenErrors, runKey } from "./open-errors.ts";
import { rootOf, type RenamedBranch } from "./readers/workspace.ts";
import type { ActionEntry, CommandEntry, FileEntry, FileState, InstructionEntry, Ledger } from "./entries.ts";

export type WorkEntries = Pick<
  Ledger,
  "files" | "actions" | "commands" | "errors" | "outdatedReports" | "instructions" | "cwd" | "branch" | "committed"
>;

export interface Work {
  /** A call was made; returns its place in the chronicle. */
  readonly call: (at: number, call: ClassifiedCall) => number;
  /** The call at that place ended, by message `at`. */
  readonly result: (place: number, call: ClassifiedCall, end: CallEnd) => void;
  readonly entries: () => WorkEntries;
}

/** What the result of a call says: how it ended, and where the work stands since. */
export interface ReadResult extends CallResult {
  readonly folder?: string;
  readonly branch?: string;
  readonly renamed?: RenamedBranch;
  /** The file that was open, where the call changed that and names none. */
  readonly openFile?: string;
  readonly instructions?: Instructions;
}

export interface CallEnd extends ReadResult {
  readonly at: number;
}

/** The rules of a file with the project's instructions. */
export interface Instructions {
  readonly file: string;
  readonly rules: readonly string[];
}

/** Words of a command line that are files beyond doubt. */
export const SURELY_FILE =
  /^[\w./~@+-]*[\w+-]\.(?:[cm]?[jt]sx?|json[lc5]?|mdx?|rst|txt|go|mod|sum|py[iw]?|ipynb|rs|java|kts?|scala|rb|php|cs?|h|cc|cpp|hpp|m|mm|swift|dart|ex|exs|erl|hs|lua|pl|r|jl|sh|bash|zsh|fish|ps1|sql|ya?ml|toml|ini|cfg|conf|env|lock|log|csv|tsv|xml|html?|s?css|less|vue|svelte|proto|graphql|gradle|tf|pdf|png|svg)$/i;

export function createWork(): Work {
  const actions: ActionEntry[] = [];
  const files = new Map<string, FileEntry>();
  const commands = new Map<string, CommandEntry>();
  const errors = createOpenErrors();
  const instructions = new Map<string, InstructionEntry>();
  let workspace: { readonly cwd?: string; readonly branch?: string; readonly committed?: number } = {};

  const result = (place: number, call: ClassifiedCall, end: CallEnd): void => {
    const action = actions[place]!;
    const edited = end.openFile === undefined ? undefined : belowFolder(end.openFile, end.folder ?? workspace.cwd);
    actions[place] = {
      ...action,
      ...(edited === undefined || call.command !== undefined ? {} : { target: edited, onOpenFile: true }),
      ...(end.ok === undefined ? {} : { ok: end.ok }),
      ...(end.outcome === undefined ? {} : { outcome: end.outcome }),
      ...(end.passed === undefined ? {} : { passed: end.passed }),
    };
    const key = runKey(call);
    if (call.command !== undefined) {
      const known = commands.get(key);
      // The newest run comes last.
      commands.delete(key);
      commands.set(key, commandAfter(known, call, action.message, end));
    }
    if (edited !== undefined) touch(files, { path: edited, state: "edited", tool: call.tool, at: action.message });
    else if (end.ok !== false) touchFiles(files, call, action.message);
    errors.after(call, { ...end, called: action.message }, changes(call));
    for (const text of end.instructions?.rules ?? [])
      instructions.set(text, { kind: "instruction", message: end.at, text, file: end.instructions!.file });
    if (end.folder !== undefined) workspace = { ...workspace, cwd: end.folder };
    const branch = branchAfter(workspace.branch, end);
    if (branch !== undefined) workspace = { ...workspace, branch };
    if (end.ok !== false && call.run?.purpose === "commit") workspace = { ...workspace, committed: action.message };
  };

  return {
    call: (at, call) =>
      actions.push({
        kind: "action",
        message: at,
        text: call.command ?? call.target,
        tool: call.tool,
        action: call.action,
        target: call.target,
        ...(call.run === undefined ? {} : { purpose: call.run.purpose, family: call.run.family }),
      }) - 1,
    result,
    entries: () => {
      const cwd = workspace.cwd ?? rootOf([...files.keys()]);
      const named = cwd === undefined ? workspace : { ...workspace, cwd };
      return {
        actions: [...actions],
        files: [...files.values()],
        commands: [...commands.values()],
        errors: errors.entries(),
        outdatedReports: errors.outdated(),
        instructions: [...instructions.values()],
        ...named,
      };
    },
  };
}

/** Another branch than the one it is on may be renamed too. */
function branchAfter(known: string | undefined, { branch, renamed }: CallEnd): string | undefined {
  const now = branch ?? known;
  return renamed !== undefined && (now ?? renamed.from) === (renamed.from ?? now) ? renamed.to : now;
}

/** `update_contract` and its like change what is in no file. */
function changes(call: ClassifiedCall): boolean {
  if (call.action !== "edit" && call.action !== "write") return call.run?.effect === "change";
  return call.paths.length > 0 || actionByName(call.tool) !== undefined;
}

function touchFiles(files: Map<string, FileEntry>, call: ClassifiedCall, at: number): void {
  const state = stateAfter(call);
  if (state === undefined) return;
  for (const path of call.paths) {
    if (call.command !== undefined && !isFileOf(state, path)) continue;
    if (state === "deleted" && call.command !== undefined && !deletes(call.command, path)) continue;
    touch(files, { path, state, tool: call.tool, at });
  }
}

function touch(files: Map<string, FileEntry>, one: Touch): void {
  const known = files.get(one.path);
  files.delete(one.path);
  files.set(one.path, fileAfter(known, one));
}

/** As calls name it that run in that folder. */
function belowFolder(path: string, folder: string | undefined): string {
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

/** Scripts and lists of names are full of what looks like files: only those are believed that are below a folder, or were shown. */
function isFileOf(state: FileState, path: string): boolean {
  return (
    SURELY_FILE.test(path) && !path.startsWith(".") && (state === "read" || state === "deleted" || path.includes("/"))
  );
}

function stateAfter(call: ClassifiedCall): FileState | undefined {
  switch (call.action) {
    case "read":
      return "read";
    case "edit":
      return "edited";
    case "write":
      return /delete|remove/i.test(call.tool) ? "deleted" : "created";
    case "search":
    case "list":
      return "listed";
    case "run":
      return commandState(call);
    default:
      return undefined;
  }
}

function commandState({ run }: ClassifiedCall): FileState {
  switch (run?.effect) {
    case "delete":
      return "deleted";
    case "change":
      return "edited";
    case "show":
      return "read";
    case undefined:
      return "listed";
  }
}

const UNCHANGED_STATES: readonly FileState[] = ["listed", "read"];

interface Touch {
  readonly path: string;
  readonly state: FileState;
  readonly tool: string;
  readonly at: number;
}

/** Reading a file that was edited leaves it an edited file. */
function fileAfter(known: FileEntry | undefined, { path, state, tool, at }: Touch): FileEntry {
  const change = !UNCHANGED_STATES.includes(state);
  const keeps = known !== undefined && !change && (UNCHANGED_STATES.indexOf(known.state) < 0 || state === "listed");
  const created = known?.state === "created" && state === "edited";
  return {
    kind: "file",
    message: known?.message ?? at,
    text: path,
    path,
    state: keeps || created ? known.state : state,
    tool: keeps || created ? known.tool : tool,
    reads: (known?.reads ?? 0) + (state === "read" ? 1 : 0),
    edits: (known?.edits ?? 0) + (change ? 1 : 0),
    last: at,
    ...changesAfter(known, change ? at : undefined),
  };
}

function changesAfter(
  known: FileEntry | undefined,
  at: number | undefined,
): Pick<FileEntry, "firstChanged" | "changed"> {
  const changed = at ?? known?.changed;
  return changed === undefined ? {} : { firstChanged: known?.firstChanged ?? changed, changed };
}

function commandAfter(known: CommandEntry | undefined, call: ClassifiedCall, at: number, end: CallEnd): CommandEntry {
  const { ok, exit, failing, passed, failed, outcome } = end;
  return {
    kind: "command",
    message: at,
    text: call.command!,
    tool: call.tool,
    purpose: call.run?.purpose ?? "other",
    times: (known?.times ?? 0) + 1,
    failing,
    ...(ok === undefined ? {} : { ok }),
    ...(exit === undefined ? {} : { exit }),
    ...(passed === undefined ? {} : { passed }),
    ...(failed === undefined ? {} : { failed }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}
