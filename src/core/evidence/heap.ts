/** A queue of numbers that gives the one of the highest priority first. */
export interface Heap {
  readonly push: (item: number, priority: number) => void;
  /** The first item, taken out; -1 where there is none. */
  readonly pop: () => number;
  /** The priority of the item that was popped last. */
  readonly priority: () => number;
}

export function createHeap(): Heap {
  const items: number[] = [];
  const priorities: number[] = [];
  let popped = 0;
  return {
    priority: () => popped,
    push: (item, priority) => {
      let at = items.length;
      items.push(item);
      priorities.push(priority);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (priorities[parent]! >= priority) break;
        items[at] = items[parent]!;
        priorities[at] = priorities[parent]!;
        at = parent;
      }
      items[at] = item;
      priorities[at] = priority;
    },
    pop: () => {
      if (items.length === 0) return -1;
      const top = items[0]!;
      popped = priorities[0]!;
      const item = items.pop()!;
      const priority = priorities.pop()!;
      if (items.length > 0) sink(items, priorities, item, priority);
      return top;
    },
  };
}

/** Puts an item where the first stood, and lets it sink to its place. */
function sink(items: number[], priorities: number[], item: number, priority: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= items.length) break;
    if (child + 1 < items.length && priorities[child + 1]! > priorities[child]!) child++;
    if (priorities[child]! <= priority) break;
    items[at] = items[child]!;
    priorities[at] = priorities[child]!;
    at = child;
  }
  items[at] = item;
  priorities[at] = priority;
}
