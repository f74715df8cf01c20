/** What is too long to be handed over at once, in batches: to a database in one statement, to another thread in one message. */
import { setTimeout as pause } from "node:timers/promises";

const BATCH_CHARS = 256 * 1024;
const BATCH_ITEMS = 400;
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

export async function pauseBetweenBatches(): Promise<void> {
  await pause(PAUSE_MS);
}
