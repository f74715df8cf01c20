/** The folder that a conversation's absolute paths lie below: counted message by message. */
import type { CallSummary } from "../digest/call.ts";

/** A folder is the root when that many of the absolute paths that calls name lie below it. */
const ROOT_SHARE_MIN = 0.6;
const ROOT_DEPTH_MIN = 2;

export interface Roots {
  readonly add: (calls: readonly Pick<CallSummary, "paths">[]) => void;
  /** The deepest folder, with its last slash, that most of the paths lie below; empty where there is none. */
  readonly root: () => string;
}

export function createRoots(): Roots {
  const counts = new Map<string, number>();
  let total = 0;
  let deepest: string | undefined;
  const count = (path: string): void => {
    if (!path.startsWith("/")) return;
    total++;
    deepest = undefined;
    for (let slash = path.indexOf("/", 1); slash > 0; slash = path.indexOf("/", slash + 1)) {
      const folder = path.slice(0, slash + 1);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  };
  return {
    add: (calls) => calls.forEach(({ paths }) => paths.forEach(count)),
    root: () => (deepest ??= deepestOf(counts, total * ROOT_SHARE_MIN)),
  };
}

function deepestOf(counts: ReadonlyMap<string, number>, least: number): string {
  let root = "";
  for (const [folder, below] of counts)
    if (below >= least && folder.length > root.length && isDeep(folder)) root = folder;
  return root;
}

function isDeep(folder: string): boolean {
  return folder.split("/").length > ROOT_DEPTH_MIN + 1;
}
