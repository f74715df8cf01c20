/**
 * What is too long to be written at once, in batches: a file has one writer, and kept at once, 28 MB would make everybody
 * else wait for the disk for a second.
 */
import { setTimeout as pause } from "node:timers/promises";

const BATCH_CHARS = 256 * 1024;
const BATCH_ITEMS = 400;
/** Others get to write meanwhile: SQLite looks whether it can after 1, 2, 5, 10 and 15 ms more. */
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
