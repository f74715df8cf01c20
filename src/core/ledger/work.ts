/** The half of the ledger that tools do: the chronicle of calls, files with their state, commands, errors, workspace. */
import { deletes, type ClassifiedCall } from "./readers/commands.ts";
import { CONFLICTS, type CallResult } from "./readers/results.ts";
import { rootOf } from "./readers/workspace.ts";
import type {
  ActionEntry,
  CommandEntry,
  ErrorEntry,
  FileEntry,
  FileState,
  InstructionEntry,
  Ledger,
} from "./entries.ts";

export type WorkEntries = Pick<
  Ledger,
  "files" | "actions" | "commands" | "errors" | "instructions" | "cwd" | "branch" | "committed"
>;

export interface Work {
  /** A call was made; returns its place in the chronicle. */
  readonly call: (at: number, call: ClassifiedCall) => number;
  /** The call at that place ended, by message `at`. */
  readonly result: (place: number, call: ClassifiedCall, end: CallEnd) => void;
  readonly entries: () => WorkEntries;
}

export interface CallEnd extends CallResult {
  readonly at: number;
  readonly folder?: string;
  readonly branch?: string;
  readonly instructions?: Instructions;
}

/** The rules of a file with the project's instructions. */
export interface Instructions {
  readonly file: string;
  readonly rules: readonly string[];
}

/** More unresolved errors than this are noise; the oldest go. */
const OPEN_ERRORS_MAX = 200;
/** Words of a command line that are files beyond doubt. */
export const SURELY_FILE =
  /^[\w./~@+-]*[\w+-]\.(?:[cm]?[jt]sx?|json[lc5]?|mdx?|rst|txt|go|mod|sum|py[iw]?|ipynb|rs|java|kts?|scala|rb|php|cs?|h|cc|cpp|hpp|m|mm|swift|dart|ex|exs|erl|hs|lua|pl|r|jl|sh|bash|zsh|fish|ps1|sql|ya?ml|toml|ini|cfg|conf|env|lock|log|csv|tsv|xml|html?|s?css|less|vue|svelte|proto|graphql|gradle|tf|pdf|png|svg)$/i;

export function createWork(): Work {
  const actions: ActionEntry[] = [];
  const files = new Map<string, FileEntry>();
  const commands = new Map<string, CommandEntry>();
  const errors = createErrors();
  const instructions = new Map<string, InstructionEntry>();
  let workspace: { readonly cwd?: string; readonly branch?: string; readonly committed?: number } = {};

  const result = (place: number, call: ClassifiedCall, end: CallEnd): void => {
    const action = actions[place]!;
    actions[place] = {
      ...action,
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
    if (end.ok !== false) touchFiles(files, call, action.message);
    errors.after(call, end, changes(call));
    for (const text of end.instructions?.rules ?? [])
      instructions.set(text, { kind: "instruction", message: end.at, text, file: end.instructions!.file });
    if (end.folder !== undefined) workspace = { ...workspace, cwd: end.folder };
    if (end.branch !== undefined) workspace = { ...workspace, branch: end.branch };
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
        instructions: [...instructions.values()],
        ...named,
      };
    },
  };
}

/** The command, without where it ran; a long one is distinguished by all its words. */
function runKey({ command, target }: ClassifiedCall): string {
  return command !== undefined && target.endsWith("…") ? command : target;
}

function changes(call: ClassifiedCall): boolean {
  return call.action === "edit" || call.action === "write" || call.run?.effect === "change";
}

function touchFiles(files: Map<string, FileEntry>, call: ClassifiedCall, at: number): void {
  const state = stateAfter(call);
  if (state === undefined) return;
  for (const path of call.paths) {
    if (call.command !== undefined && !isFileOf(state, path)) continue;
    if (state === "deleted" && call.command !== undefined && !deletes(call.command, path)) continue;
    const known = files.get(path);
    files.delete(path);
    files.set(path, fileAfter(known, { path, state, tool: call.tool, at }));
  }
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
    ...(change ? { changed: at } : known?.changed === undefined ? {} : { changed: known.changed }),
  };
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

interface Errors {
  readonly after: (call: ClassifiedCall, end: CallEnd, changed: boolean) => void;
  readonly entries: () => readonly ErrorEntry[];
}

interface WorkState {
  /** What has to succeed for the error to be gone. */
  readonly attempt: string;
  readonly family: string | undefined;
  readonly entry: ErrorEntry;
}

function createErrors(): Errors {
  const standing = new Map<string, WorkState>();
  const resolved: ErrorEntry[] = [];
  const resolve = (key: string, { entry }: WorkState, message: number, by: "rerun" | "success"): void => {
    standing.delete(key);
    resolved.push({ ...entry, resolved: { message, by } });
  };
  const worked = (call: ClassifiedCall, at: number): void => {
    const attempt = attemptOf(call);
    const family = call.run?.family;
    for (const [key, one] of standing) {
      if (one.attempt === attempt) resolve(key, one, at, "rerun");
      else if (family !== undefined && one.family === family && one.entry.changedSince !== undefined)
        resolve(key, one, at, "success");
    }
  };
  const failed = (call: ClassifiedCall, end: CallEnd): void => {
    const attempt = attemptOf(call);
    for (const [key, one] of standing)
      if (one.attempt === attempt && !end.errors.includes(one.entry.text)) resolve(key, one, end.at, "rerun");
    for (const text of end.errors) {
      const key = `${attempt}\u0000${text}`;
      const times = (standing.get(key)?.entry.times ?? 0) + 1;
      standing.delete(key);
      standing.set(key, {
        attempt,
        family: call.run?.family,
        entry: errorEntry(call, { message: end.at, text, times }),
      });
    }
    while (standing.size > OPEN_ERRORS_MAX) standing.delete(standing.keys().next().value!);
  };
  /** A commit ends a merge, and no error is left in a file that is gone. */
  const ended = (call: ClassifiedCall, at: number): void => {
    const commits = call.run?.purpose === "commit";
    const gone =
      call.run?.effect === "delete" ? call.paths.filter((path) => deletes(call.command!, path)).map(lastParts) : [];
    for (const [key, one] of standing) {
      const { text } = one.entry;
      if ((commits && text.startsWith(CONFLICTS)) || gone.some((path) => text.includes(path)))
        resolve(key, one, at, "success");
    }
  };
  return {
    after: (call, end, changed) => {
      if (end.ok === false && tries(call)) failed(call, end);
      else if (end.ok === true) worked(call, end.at);
      if (end.ok !== false) ended(call, end.at);
      if (changed && end.ok !== false)
        for (const [key, one] of standing)
          if (one.entry.changedSince === undefined)
            standing.set(key, { ...one, entry: { ...one.entry, changedSince: end.at } });
    },
    entries: () =>
      [...resolved, ...[...standing.values()].map(({ entry }) => entry)].toSorted((a, b) => a.message - b.message),
  };
}

/** A path as a compiler that runs in another folder may name it. */
function lastParts(path: string): string {
  return path.split("/").slice(-2).join("/");
}

function errorEntry(
  { target, tool, run }: ClassifiedCall,
  place: Pick<ErrorEntry, "message" | "text" | "times">,
): ErrorEntry {
  const purpose = run === undefined ? {} : { purpose: run.purpose };
  return { kind: "error", source: target, tool, ...purpose, ...place };
}

/** A search that finds nothing, a file that is not there: looking around fails all the time and blocks nothing. */
function tries(call: ClassifiedCall): boolean {
  return (
    call.action !== "read" &&
    call.action !== "search" &&
    call.action !== "list" &&
    call.action !== "plan" &&
    call.action !== "ask"
  );
}

/** An edit that did not match is made good by any later edit of that file; a run, by the same command; a delegation, by the next. */
function attemptOf(call: ClassifiedCall): string {
  switch (call.action) {
    case "edit":
    case "write":
      return `change ${call.paths[0] ?? call.target}`;
    case "delegate":
      return call.tool;
    default:
      return `${call.tool} ${runKey(call)}`;
  }
}
