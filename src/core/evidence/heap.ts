/** A queue that gives the item of the highest priority first. */
export interface Heap<Item> {
  readonly push: (item: Item, priority: number) => void;
  readonly pop: () => { readonly item: Item; readonly priority: number } | undefined;
}

export function createHeap<Item>(): Heap<Item> {
  const nodes: { readonly item: Item; readonly priority: number }[] = [];
  const swap = (a: number, b: number): void => void ([nodes[a], nodes[b]] = [nodes[b]!, nodes[a]!]);
  const before = (a: number, b: number): boolean => nodes[a]!.priority > nodes[b]!.priority;
  return {
    push: (item, priority) => {
      nodes.push({ item, priority });
      for (let at = nodes.length - 1; at > 0;) {
        const parent = (at - 1) >> 1;
        if (!before(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop: () => {
      const top = nodes[0];
      const last = nodes.pop();
      if (top === undefined || last === undefined || nodes.length === 0) return top;
      nodes[0] = last;
      for (let at = 0; ;) {
        const left = 2 * at + 1;
        if (left >= nodes.length) break;
        const child = left + 1 < nodes.length && before(left + 1, left) ? left + 1 : left;
        if (!before(child, at)) break;
        swap(at, child);
        at = child;
      }
      return top;
    },
  };
}
