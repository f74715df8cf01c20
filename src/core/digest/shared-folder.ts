/** What the paths of a listing or a search have in common. */

/** The folder that all paths are in, with its final slash. */
export function sharedFolder(paths: readonly string[]): string {
  let shared = paths[0] ?? "";
  for (const path of paths) while (!path.startsWith(shared)) shared = shared.slice(0, -1);
  return shared.slice(0, shared.lastIndexOf("/") + 1);
}
