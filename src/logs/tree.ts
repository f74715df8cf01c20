/** Session files are trees: a rewind starts a branch beside the old one. The branch that counts ends at the last line. */

export interface TreeNode {
  readonly id: string;
  /** Id of the node before this one; null for a root. An id that is not in the file stands for the line before. */
  readonly parent: string | null;
}

/** Indices of the nodes on the way from a root to `leaf`, in that order. */
export function branchTo(nodes: readonly TreeNode[], leaf: number): readonly number[] {
  const places = new Map<string, number>();
  nodes.forEach((node, at) => places.has(node.id) || places.set(node.id, at));
  const seen = new Set<number>();
  let at = leaf;
  while (at >= 0) {
    seen.add(at);
    const { parent } = nodes[at]!;
    if (parent === null) break;
    at = earlier(seen, places.get(parent) ?? at - 1);
  }
  return [...seen].toReversed();
}

/** `at`, or the nearest place before it that is not on the branch yet: a pointer forward would close a circle. */
function earlier(seen: ReadonlySet<number>, at: number): number {
  let place = at;
  while (seen.has(place)) place--;
  return place;
}
