/**
 * A compaction as text and back. Messages that share the bytes of one wire message still do afterwards, and a message
 * that is one of its slice's members is that very object, so that a protocol writes the same bytes as before.
 */
import { COMPACTION_SCHEMA_VERSION, type Compaction } from "../core/compaction/compaction.ts";
import type { Message, WireSlice } from "../core/transcript/message.ts";

/** Messages and slices by their number: they refer to one another in circles. */
interface PackedMessage extends Omit<Message, "wire"> {
  readonly wire?: number;
}
interface PackedSlice extends Omit<WireSlice, "members"> {
  readonly members: readonly number[];
}
interface PackedCompaction extends Omit<Compaction, "after" | "system"> {
  readonly after: readonly number[];
  readonly system?: readonly number[];
  readonly messages: readonly PackedMessage[];
  readonly slices: readonly PackedSlice[];
}

/** The originals of what was removed stand behind their recall ids, and are not kept again. */
export function encodeCompaction(compaction: Compaction): string {
  const { after, system, evicted, ...rest } = compaction;
  const graph = createGraph();
  const packed: PackedCompaction = {
    ...rest,
    after: after.map(graph.numberOf),
    ...(system === undefined ? {} : { system: system.map(graph.numberOf) }),
    evicted: evicted.map(({ original: _, ...one }) => one),
    messages: graph.messages,
    slices: graph.slices,
  };
  return JSON.stringify(packed);
}

function createGraph() {
  const messages: PackedMessage[] = [];
  const slices: PackedSlice[] = [];
  const messageNumbers = new Map<Message, number>();
  const sliceNumbers = new Map<WireSlice, number>();
  const numberOf = (message: Message): number => {
    const known = messageNumbers.get(message);
    if (known !== undefined) return known;
    const at = messages.length;
    messageNumbers.set(message, at);
    const { wire, ...bare } = message;
    messages.push(bare);
    if (wire !== undefined) messages[at] = { ...bare, wire: sliceNumber(wire) };
    return at;
  };
  const sliceNumber = (slice: WireSlice): number => {
    const known = sliceNumbers.get(slice);
    if (known !== undefined) return known;
    const at = slices.length;
    sliceNumbers.set(slice, at);
    const { protocol, raw, members } = slice;
    slices.push({ protocol, raw, members: [] });
    slices[at] = { protocol, raw, members: members.map(numberOf) };
    return at;
  };
  return { messages, slices, numberOf };
}

/** `undefined` for a record of another schema. */
export function decodeCompaction(text: string): Compaction | undefined {
  const {
    after,
    system,
    messages: packedMessages,
    slices: packedSlices,
    ...rest
  } = JSON.parse(text) as PackedCompaction;
  if (rest.schemaVersion !== COMPACTION_SCHEMA_VERSION) return undefined;
  const members = packedSlices.map((): Message[] => []);
  const slices = packedSlices.map(({ protocol, raw }, at): WireSlice => ({ protocol, raw, members: members[at]! }));
  const messages = packedMessages.map(({ wire, parts, ...bare }): Message => {
    const frozen = Object.freeze(parts.map((part) => Object.freeze(part)));
    return Object.freeze({ ...bare, parts: frozen, ...(wire === undefined ? {} : { wire: slices[wire]! }) });
  });
  packedSlices.forEach((slice, at) => members[at]!.push(...slice.members.map((member) => messages[member]!)));
  for (const slice of slices) Object.freeze(Object.freeze(slice).members);
  const unpacked = (numbers: readonly number[]): readonly Message[] => numbers.map((at) => messages[at]!);
  return { ...rest, after: unpacked(after), ...(system === undefined ? {} : { system: unpacked(system) }) };
}
