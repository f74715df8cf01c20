/**
 * What was read of the messages of a conversation, as far as memory allows. Of a conversation that fills it, the
 * readings used last are kept, and a message that is asked for again is read again: the same names have the same numbers.
 */
import type { Message } from "../transcript/message.ts";
import { remembered } from "../transcript/remembered.ts";
import type { NameTable } from "./name-table.ts";
import { readMessage, type Reading } from "./reading.ts";

/** About what all readings may take. A window of a million tokens takes a third at most. */
export const READINGS_BYTES_MAX = 64_000_000;
/** Of a mention, in the arrays of a reading. */
const MENTION_BYTES = 64;

export type ReadingOf = (message: Message) => Reading;

export function createReadings(table: NameTable, bytesMax: number): ReadingOf {
  const readings = remembered<Message, Reading>({ bytesOf, bytesMax });
  return (message) => readings(message, () => readMessage(message, table));
}

function bytesOf({ text, mentions }: Reading): number {
  return text.length + mentions.which.length * MENTION_BYTES;
}
