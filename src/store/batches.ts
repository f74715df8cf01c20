/** What is too long to be handed over at once, in batches: to a database in one statement, to another thread in one message. */
import { setTimeout as pause } from "node:timers/promises";

const BATCH_CHARS = 256 * 1024;
const BATCH_ITEMS = 400;
/** Written at once; others who write to the same file wait for no more than these, some 10 ms each. */
const BATCHES_IN_A_ROW = 4;
/** Others get their turn meanwhile. */
const PAUSE_MS = 20;

/** Where each batch ends; the last ends where the list does. */
export function batchEnds<Item>(items: readonly Item[], charsOf: (item: Item) => number): readonly number[] {
  const ends: number[] = [];
  let chars = 0;
  let count = 0;
  items.forEach((item, at) => {
    chars += charsOf(item);
    count++;
    if (at + 1 < items.length && chars < BATCH_CHARS && count < BATCH_ITEMS) return;
    ends.push(at + 1);
    chars = 0;
    count = 0;
  });
  return ends;
}

/** To be called after each batch but the last. What is little more than one batch does not wait at all. */
export function createPauses(): () => Promise<void> {
  let batches = 0;
  return async () => {
    batches += 1;
    if (batches % BATCHES_IN_A_ROW === 0) await pause(PAUSE_MS);
  };
}
