/** What is in the journal of an SQLite file. */
import { readFileSync } from "node:fs";

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** What each transaction in a write-ahead log wrote: its last frame names the size of the file. https://www.sqlite.org/fileformat2.html#walformat */
export function transactionBytes(log: string): readonly number[] {
  const [bytes, sizes] = [readFileSync(log), [0]];
  const frame = FRAME_HEADER_BYTES + bytes.readUInt32BE(8);
  for (let at = LOG_HEADER_BYTES; at + frame <= bytes.length; at += frame) {
    sizes[sizes.length - 1]! += frame;
    if (bytes.readUInt32BE(at + 4) > 0) sizes.push(0);
  }
  return sizes.slice(0, -1);
}
