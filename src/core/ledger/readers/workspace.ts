/** Where the work happens: the folder commands run in and the branch, from what calls say and what they answer. */
import type { CallSummary } from "../../digest/call.ts";
import { segmentsOf } from "./commands.ts";

const EDGE_CHARS = 600;
const CHANGES_FOLDER = /^\s*cd\s+["']?(\/[^\s"';&|]+)/;
const STATED_FOLDER = /\(Current directory: (\/[^)\n]+)\)/;
const BRANCH_WORDS = /\bgit\b/;
const STATED_BRANCH =
  /(?:^|\n)(?:On branch |Switched to (?:a new )?branch ')([\w./-]+)|(?:^|\n)\[([\w./-]+)(?: \(root-commit\))? [0-9a-f]{7,40}\]/;

/** Commands that print the name of the branch and nothing else. */
const ASKS_BRANCH = /\bgit (?:branch --show-current|rev-parse --abbrev-ref HEAD)\s*$/;
const BRANCH_NAME = /^[\w./-]+$/;

/** The folder that a call or its result names as the current one. */
export function folderIn(call: CallSummary, result: string): string | undefined {
  const stated = STATED_FOLDER.exec(result.slice(-EDGE_CHARS))?.[1];
  return stated ?? (call.command === undefined ? undefined : CHANGES_FOLDER.exec(call.command)?.[1]);
}

/** The branch that a git command reports to be on. */
export function branchIn(call: CallSummary, result: string): string | undefined {
  if (call.command === undefined || !BRANCH_WORDS.test(call.command)) return undefined;
  const answer = result.trim();
  if (ASKS_BRANCH.test(call.command) && BRANCH_NAME.test(answer)) return answer;
  const match = STATED_BRANCH.exec(result.slice(-EDGE_CHARS)) ?? STATED_BRANCH.exec(result.slice(0, EDGE_CHARS));
  return match?.[1] ?? match?.[2];
}

export interface RenamedBranch {
  /** The branch it was on, where the command does not say. */
  readonly from?: string;
  readonly to: string;
}

const RENAMES_BRANCH = /^git\s+branch\s+(?:-m|-M|--move)\s+(?:([\w./-]+)\s+)?([\w./-]+)\s*$/;
const ON_ANOTHER = /^git\s+(?:checkout|switch|commit|status)\b/;
const NOT_RENAMED =
  /^(?:fatal|error): .*(?:already exists|no branch named|rename|refname|valid branch name|not a git repository|not on any)/m;

/** Renaming a branch prints nothing; what a later step of the command prints says more. */
export function renamedBranchIn(call: CallSummary, result: string): RenamedBranch | undefined {
  if (call.command?.includes("branch") !== true || NOT_RENAMED.test(result.slice(0, EDGE_CHARS))) return undefined;
  const steps = segmentsOf(call.command);
  const at = steps.findLastIndex((step) => RENAMES_BRANCH.test(step));
  if (at < 0 || steps.slice(at).some((step) => ON_ANOTHER.test(step))) return undefined;
  const [, from, to] = RENAMES_BRANCH.exec(steps[at]!)!;
  return from === undefined ? { to: to! } : { from, to: to! };
}

/** What an editor prints above the lines that it shows of its open file. */
const SHOWN_FILE = /^\[File: ([^\s\]]+) \(\d+ lines total\)\]$/m;
const SAYS_UPDATED =
  /^\s*$|^\s*(?:the )?(?:file|text|lines?)\b.{0,40}\b(?:updated|replaced|inserted|edited|changed)\b/i;
/** SWE-agent's edit of the open file, where it is typed like a command. */
const EDITS_LINES = /^\s*edit(?: \d+:\d+)?\n/;

/** The file that an edit changed which names none, because it works on the one that is open. */
export function openFileEditedBy({ action, paths, command }: CallSummary, result: string): string | undefined {
  const worksOnOpenFile = command === undefined ? action === "edit" && paths.length === 0 : EDITS_LINES.test(command);
  const shown = worksOnOpenFile ? SHOWN_FILE.exec(result.slice(0, EDGE_CHARS)) : null;
  return shown !== null && SAYS_UPDATED.test(result.slice(0, shown.index)) ? shown[1] : undefined;
}

/**
 * The folder that relative paths start from: what an absolute path has in front of one that was also named relatively,
 * by the most such pairs.
 */
export function rootOf(paths: readonly string[]): string | undefined {
  const absolute = new Map<string, string[]>();
  for (const path of paths)
    if (path.startsWith("/"))
      (absolute.get(baseOf(path)) ?? absolute.set(baseOf(path), []).get(baseOf(path))!).push(path);
  if (absolute.size === 0) return undefined;
  const votes = new Map<string, number>();
  for (const path of paths) {
    if (path.startsWith("/") || path.startsWith("~") || !path.includes("/")) continue;
    const relative = `/${path.replace(/^(?:\.\/)+/, "")}`;
    for (const candidate of absolute.get(baseOf(path)) ?? []) {
      if (!candidate.endsWith(relative)) continue;
      const root = candidate.slice(0, -relative.length);
      if (root !== "") votes.set(root, (votes.get(root) ?? 0) + 1);
    }
  }
  return [...votes].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
