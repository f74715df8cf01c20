/** The files that a session touched, by what was last done to each. Changed counts where a result says so. */
import { isErrorLine } from "../digest/error-line.ts";
import type { CallSummary } from "../digest/call.ts";
import type { Ending } from "./endings.ts";
import type { CommandFacts } from "./shell.ts";

export type FileState = "read" | "created" | "edited" | "deleted";

export interface FileEntry {
  /** As it was first named. */
  readonly path: string;
  /** Where it was named so, if that is known. */
  readonly folder?: string;
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
  /** What it answered. */
  readonly text: string;
}

/**
 * Brings the files up to date with a call that has ended, each under its name in full as far as that is known. `folder` is where the
 * call ran: a path below it may be named with it or without.
 */
export function touchFiles(files: Map<string, FileEntry>, call: FileCall, folder?: string): void {
  for (const [named, state] of touchedBy(call)) {
    const full = pathFrom(named, folder);
    const before = [full, named, ...otherNames(named, folder)].find((name) => files.has(name)) ?? full;
    const known = files.get(before);
    files.delete(before);
    files.set(
      full,
      after(known, { path: known?.path ?? named, folder, state, tool: call.summary.tool, at: call.message }),
    );
  }
}

/** A path in full, where it is known from which folder it was named. */
export function pathFrom(path: string, folder: string | undefined): string {
  const plain = path.replaceAll("\\", "/").replace(/^\.\//, "");
  return folder === undefined || /^(?:\/|~|[A-Za-z]:)/.test(plain) ? plain : `${folder}/${plain}`;
}

function otherNames(path: string, folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  if (path.startsWith(`${folder}/`)) return [path.slice(folder.length + 1)];
  return path.startsWith("/") ? [] : [`${folder}/${path.replace(/^\.\//, "")}`];
}

function touchedBy({ summary, facts, ending, text }: FileCall): readonly (readonly [string, FileState])[] {
  const { action, paths, tool } = summary;
  if (ending.status !== "done") return [];
  if (facts !== undefined)
    return [
      ...facts.deletes.filter(isPath).map((path) => [path, "deleted"] as const),
      ...facts.writes.filter(isPath).map((path) => [path, "edited"] as const),
      ...(facts.purpose === "show" ? shownBy(facts.shows.filter(isPath), text) : []).map(
        (path) => [path, "read"] as const,
      ),
    ];
  if (action === "read") return paths.map((path) => [path, "read"]);
  if (action === "edit") return paths.map((path) => [path, "edited"]);
  if (action === "write") return paths.map((path) => [path, /delete|remove/i.test(tool) ? "deleted" : "created"]);
  return [];
}

const ERRORS_READ_CHARS = 20_000;

/** Those of the files a command was to show of which it reports no error. */
function shownBy(paths: readonly string[], text: string): readonly string[] {
  if (paths.length === 0) return [];
  const errors = text.slice(0, ERRORS_READ_CHARS).split("\n").filter(isErrorLine);
  return paths.filter((path) => !errors.some((line) => line.includes(path)));
}

const HAS_EXTENSION = /\.[\p{L}\p{N}]{1,8}$/u;
const PATTERN = /[*?$`{}]/;
/** A page or a repository on another machine. */
const ADDRESS = /^(?:@|[\w+]+:\/\/|[\w.-]+@[\w.-]+:)/;
/** Two revisions of git. */
const RANGE = /[^/]\.\.|\.\.[^/]/;

/** Words of a command are files where they look like one, in any script. */
function isPath(word: string): boolean {
  return (
    HAS_EXTENSION.test(word) &&
    !PATTERN.test(word) &&
    !ADDRESS.test(word) &&
    !/^[\d.]+$/.test(word) &&
    !RANGE.test(word)
  );
}

interface Touch {
  readonly path: string;
  readonly folder: string | undefined;
  readonly state: FileState;
  readonly tool: string;
  readonly at: number;
}

/** Reading a file that was edited leaves it an edited file; one that was created and edited was created. */
function after(known: FileEntry | undefined, { path, folder, state, tool, at }: Touch): FileEntry {
  const changes = state !== "read";
  const keeps =
    known !== undefined && (changes ? known.state === "created" && state === "edited" : known.state !== "read");
  const changed = changes ? at : known?.changed;
  const place = known === undefined ? folder : known.folder;
  return {
    path,
    ...(place === undefined ? {} : { folder: place }),
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
}): (call: Pick<FileCall, "message" | "summary" | "facts">) => boolean {
  const changedAt = new Map(files.map(({ path, changed = -1 }) => [path, changed]));
  return ({ message, summary, facts }) =>
    (facts?.shows ?? summary.paths).some((path) =>
      [path, ...otherNames(path, folder)].some((name) => (changedAt.get(name) ?? -1) > message),
    );
}
