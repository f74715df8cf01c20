/**
 * What was read of the messages of a conversation, as far as memory allows. Of a conversation that fills it, the
 * readings used last are kept, and a message that is asked for again is read again: the same names have the same numbers.
 */
import type { Message } from "../transcript/message.ts";
import type { NameTable } from "./name-table.ts";
import { readMessage, type Reading } from "./reading.ts";

/** About what all readings may take. A window of a million tokens takes a third at most. */
export const READINGS_BYTES_MAX = 64_000_000;
/** Of a mention, in the arrays of a reading. */
const MENTION_BYTES = 64;

export type ReadingOf = (message: Message) => Reading;

export function createReadings(table: NameTable, bytesMax: number): ReadingOf {
  // Two halves: when the newer is full it becomes the older, and what was in the older and is not asked for is forgotten.
  let newer = new WeakMap<Message, Reading>();
  let older = new WeakMap<Message, Reading>();
  let bytes = 0;
  return (message) => {
    const known = newer.get(message);
    if (known !== undefined) return known;
    const reading = older.get(message) ?? readMessage(message, table);
    const own = bytesOf(reading);
    if (bytes + own > bytesMax / 2) {
      older = newer;
      newer = new WeakMap();
      bytes = 0;
    }
    bytes += own;
    newer.set(message, reading);
    return reading;
  };
}

function bytesOf({ text, mentions }: Reading): number {
  return text.length + mentions.which.length * MENTION_BYTES;
}
