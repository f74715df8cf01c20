/** The files that a session touched, by what was last done to each. Changed counts where a result says so. */
import type { CallSummary } from "../digest/call.ts";
import type { Ending } from "./endings.ts";
import type { CommandFacts } from "./shell.ts";

export type FileState = "read" | "created" | "edited" | "deleted";

export interface FileEntry {
  /** As it was first named. */
  readonly path: string;
  readonly state: FileState;
  /** The tool that touched it. */
  readonly tool: string;
  /** Message of the first and the last call that touched it. */
  readonly first: number;
  readonly last: number;
  readonly reads: number;
  /** Messages of the first and the last change; absent where nothing changed it. */
  readonly firstChanged?: number;
  readonly changed?: number;
}

export interface FileCall {
  readonly message: number;
  readonly summary: CallSummary;
  readonly facts?: CommandFacts | undefined;
  readonly ending: Ending;
}

/** Brings the files up to date with a call that has ended. `folder` is where it ran: a path below it may be named with it or without. */
export function touchFiles(files: Map<string, FileEntry>, call: FileCall, folder?: string): void {
  for (const [named, state] of touchedBy(call)) {
    const path = [named, ...otherNames(named, folder)].find((name) => files.has(name)) ?? named;
    const known = files.get(path);
    files.delete(path);
    files.set(path, after(known, { path, state, tool: call.summary.tool, at: call.message }));
  }
}

function otherNames(path: string, folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  if (path.startsWith(`${folder}/`)) return [path.slice(folder.length + 1)];
  return path.startsWith("/") ? [] : [`${folder}/${path.replace(/^\.\//, "")}`];
}

function touchedBy({ summary, facts, ending }: FileCall): readonly (readonly [string, FileState])[] {
  const { action, paths, tool } = summary;
  if (ending.status !== "done") return [];
  if (facts !== undefined)
    return [
      ...facts.deletes.filter(isPath).map((path) => [path, "deleted"] as const),
      ...facts.writes.filter(isPath).map((path) => [path, "edited"] as const),
      ...(facts.purpose === "show" ? paths.filter(isPath).map((path) => [path, "read"] as const) : []),
    ];
  if (action === "read") return paths.map((path) => [path, "read"]);
  if (action === "edit") return paths.map((path) => [path, "edited"]);
  if (action === "write") return paths.map((path) => [path, /delete|remove/i.test(tool) ? "deleted" : "created"]);
  return [];
}

const HAS_EXTENSION = /\.[\p{L}\p{N}]{1,8}$/u;
const PATTERN = /[*?$`{}]/;

/** Words of a command are files where they look like one, in any script. */
function isPath(word: string): boolean {
  return HAS_EXTENSION.test(word) && !PATTERN.test(word) && !/^[\d.]+$/.test(word);
}

interface Touch {
  readonly path: string;
  readonly state: FileState;
  readonly tool: string;
  readonly at: number;
}

/** Reading a file that was edited leaves it an edited file; one that was created and edited was created. */
function after(known: FileEntry | undefined, { path, state, tool, at }: Touch): FileEntry {
  const changes = state !== "read";
  const keeps =
    known !== undefined && (changes ? known.state === "created" && state === "edited" : known.state !== "read");
  const changed = changes ? at : known?.changed;
  return {
    path,
    state: keeps ? known.state : state,
    tool: keeps ? known.tool : tool,
    first: known?.first ?? at,
    last: at,
    reads: (known?.reads ?? 0) + (changes ? 0 : 1),
    ...(changed === undefined ? {} : { firstChanged: known?.firstChanged ?? changed, changed }),
  };
}

/** Whether a call's files were changed after it: what it showed of them is no longer so. */
export function changedAfter({
  files,
  folder,
}: {
  readonly files: readonly FileEntry[];
  readonly folder?: string;
}): (call: Pick<FileCall, "message" | "summary">) => boolean {
  const changedAt = new Map(files.map(({ path, changed = -1 }) => [path, changed]));
  return ({ message, summary }) =>
    summary.paths.some((path) =>
      [path, ...otherNames(path, folder)].some((name) => (changedAt.get(name) ?? -1) > message),
    );
}
