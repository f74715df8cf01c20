/** Where the work happens: the folder commands run in and the branch, from what calls say and what they answer. */
import type { CallSummary } from "../digest/call.ts";
import { isForeignTool, type CallAction } from "../digest/tool-names.ts";
import type { CommandFacts } from "./shell.ts";

const EDGE_CHARS = 600;
/** SWE-agent; Claude Code, where a command left the folders that it may work in. */
const STATED_FOLDER = /\(Current directory: (\/[^)\n]+)\)|^Shell cwd was reset to (\S.*)$/m;
const STATED_BRANCH =
  /(?:^|\n)(?:On branch |Switched to (?:a new )?branch ')([\w./-]+)|(?:^|\n)\[([\w./-]+)(?: \(root-commit\))? [0-9a-f]{7,40}\]/;
/** Commands that print the name of the branch and nothing else. */
const ASKS_BRANCH = /\bgit (?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*$/;
const NAMES_BRANCH =
  /\bgit (?:branch -[mM](?: [\w./-]+(?= [\w./-]))?|checkout -[bB]|switch -[cC]) ([\w./-]+)\s*(?:$|[;&|\n])/;
const BRANCH_NAME = /^[\w./-]+$/;
/** A command that goes elsewhere on its way, or sends git there, tells of that repository. */
const GOES_ELSEWHERE = /\b(?:Push-Location|Set-Location|pushd|ssh)\b|\bgit\s+-C\b|[;&|(\n]\s{0,20}cd\s/i;
const ABSOLUTE = /^(?:\/|~|[A-Za-z]:[\\/])/;

/** Calls behind which a harness says where it is; what others show is not its word. */
const STATING: ReadonlySet<CallAction> = new Set<CallAction>(["run", "read", "write", "edit", "list"]);

/** The folder that a call or its result names as the current one. */
export function folderIn(
  { action, tool }: Pick<CallSummary, "action" | "tool">,
  facts: CommandFacts | undefined,
  result: string,
): string | undefined {
  const states = STATING.has(action) && !isForeignTool(tool);
  const [, named, reset] = (states ? STATED_FOLDER.exec(result.slice(-EDGE_CHARS)) : undefined) ?? [];
  const stated = named ?? reset;
  if (stated !== undefined) return stated;
  return facts?.folder !== undefined && ABSOLUTE.test(facts.folder) ? facts.folder : undefined;
}

/** The branch that a git command reports to be on, or, where it worked, has made or renamed without a word. */
export function branchIn({ command }: CallSummary, result: string, isDone: boolean): string | undefined {
  if (command === undefined || !/\bgit\b/.test(command) || GOES_ELSEWHERE.test(command)) return undefined;
  const answer = result.trim();
  if (ASKS_BRANCH.test(command) && BRANCH_NAME.test(answer)) return answer;
  const match = STATED_BRANCH.exec(result.slice(-EDGE_CHARS)) ?? STATED_BRANCH.exec(result.slice(0, EDGE_CHARS));
  return match?.[1] ?? match?.[2] ?? (isDone ? NAMES_BRANCH.exec(command)?.[1] : undefined);
}

/** What git says of a commit that it made, also where a script ran it. */
const COMMITTED = /(?:^|\n)\[[\w./-]+(?: \(root-commit\))? [0-9a-f]{7,40}\] /;

export function commitsIn({ action }: CallSummary, facts: CommandFacts | undefined, result: string): boolean {
  return facts?.purpose === "commit" || (action === "run" && facts?.purpose !== "show" && COMMITTED.test(result));
}

/** A folder is the root when that many of the absolute paths that calls name lie below it. */
const ROOT_SHARE_MIN = 0.6;
const ROOT_DEPTH_MIN = 2;

/** The deepest folder, without its last slash, that most of the absolute paths lie below; undefined where there is none. */
export function rootOf(paths: readonly string[]): string | undefined {
  const absolute = paths.filter((path) => path.startsWith("/"));
  const counts = new Map<string, number>();
  for (const path of absolute)
    for (let slash = path.indexOf("/", 1); slash > 0; slash = path.indexOf("/", slash + 1)) {
      const folder = path.slice(0, slash);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  let root: string | undefined;
  for (const [folder, below] of counts)
    if (below >= absolute.length * ROOT_SHARE_MIN && folder.length > (root ?? "").length && isDeep(folder))
      root = folder;
  return root;
}

/** More folders of a path are not looked at. */
const DEPTH_MAX = 32;

/**
 * The folder that work began in, as paths show it: below it, most paths that are named without it are the ends of paths that are named in
 * full. One name alone may be in many folders.
 */
export function startOf(paths: readonly string[]): string | undefined {
  const named = [...new Set(paths)];
  const relative = new Set(
    named.filter((path) => !path.startsWith("/") && path.includes("/")).map((path) => path.replace(/^\.\/|\/$/g, "")),
  );
  if (relative.size === 0) return undefined;
  const votes = new Map<string, Set<string>>();
  const seen = new Set<string>();
  for (const path of named.filter((one) => one.startsWith("/")))
    for (const within of withFolders(path)) {
      if (seen.has(within)) continue;
      seen.add(within);
      for (const folder of withFolders(within).slice(1)) {
        const end = within.slice(folder.length + 1);
        if (relative.has(end)) (votes.get(folder) ?? votes.set(folder, new Set()).get(folder)!).add(end);
      }
    }
  const [best] = [...votes].toSorted(([, a], [, b]) => b.size - a.size);
  return best === undefined || !isDeep(best[0]) ? undefined : best[0];
}

/** A path and the folders above it, the nearest first. */
function withFolders(path: string): readonly string[] {
  const all: string[] = [];
  for (let end = path.length; end > 0 && all.length < DEPTH_MAX; end = path.lastIndexOf("/", end - 1))
    all.push(path.slice(0, end));
  return all;
}

function isDeep(folder: string): boolean {
  return folder.split("/").length > ROOT_DEPTH_MIN;
}

/** What an editor prints above the lines that it shows of its open file. */
const SHOWN_FILE = /^\[File: ([^\s\]]+) \(\d+ lines total\)\]$/m;

/** An edit that names no file works on the one that is open, which its result names. */
export function withOpenFile(summary: CallSummary, result: string): CallSummary {
  if (summary.action !== "edit" || summary.paths.length > 0) return summary;
  const file = SHOWN_FILE.exec(result.slice(0, EDGE_CHARS))?.[1];
  return file === undefined ? summary : { ...summary, target: file, paths: [file] };
}
