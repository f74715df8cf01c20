/**
 * A compaction as text and back. Protocols know what nobody changed by its being the very same object: what was one
 * object before is one object again, be it a slice, a message or a part, so that the same bytes are written.
 */
import { COMPACTION_SCHEMA_VERSION, type Compaction } from "../core/compaction/compaction.ts";
import type { Content, ContentPart, Message, Part, ToolResultPart, WireSlice } from "../core/transcript/message.ts";

/** Objects refer to one another by their number among those of their kind. */
type PackedPart =
  | Exclude<Part, ToolResultPart>
  | (Omit<ToolResultPart, "content"> & { readonly content: readonly number[] });
interface PackedMessage extends Omit<Message, "parts" | "wire"> {
  readonly parts: readonly number[];
  readonly wire?: number;
}
interface PackedSlice extends Omit<WireSlice, "members"> {
  readonly members: readonly number[];
}
interface Packed {
  readonly parts: readonly PackedPart[];
  readonly messages: readonly PackedMessage[];
  readonly slices: readonly PackedSlice[];
}
interface PackedCompaction extends Omit<Compaction, "after" | "system">, Packed {
  readonly after: readonly number[];
  readonly system?: readonly number[];
}

const NO_LOSS = { absent: 0, unrecallable: 0, examples: [] };
/** A program before the receipt, which may work on the same database, refuses a record without it. */
const NOTHING_LOST = { requests: NO_LOSS, constraints: NO_LOSS, paths: NO_LOSS, errors: NO_LOSS };

/** The originals of what was removed come after their recall ids, and are not kept again. */
export function encodeCompaction(compaction: Compaction): string {
  const { after, system, evicted, ...rest } = compaction;
  const graph = createGraph();
  const report = { ...rest.report, lost: NOTHING_LOST };
  const packed: PackedCompaction = {
    ...rest,
    report,
    after: after.map(graph.message),
    ...(system === undefined ? {} : { system: system.map(graph.message) }),
    evicted: evicted.map(({ original: _, ...one }) => one),
    ...graph.packed,
  };
  return JSON.stringify(packed);
}

/** Numbers every object at its first sight; what it refers to is packed with it. */
function createGraph() {
  const messages: PackedMessage[] = [];
  const slices: PackedSlice[] = [];
  const parts: PackedPart[] = [];
  const numbers = new Map<Part | Content | WireSlice, number>();
  const part = (one: Part): number =>
    numbers.get(one) ??
    numbered(one, parts.push(one.kind === "tool-result" ? { ...one, content: one.content.map(part) } : one) - 1);
  const message = (one: Content & Pick<Message, "wire">): number => {
    const known = numbers.get(one);
    if (known !== undefined) return known;
    const { wire, ...bare } = one;
    const packed = { ...bare, parts: one.parts.map(part) };
    return numbered(one, messages.push(wire === undefined ? packed : { ...packed, wire: slice(wire) }) - 1);
  };
  const slice = (one: WireSlice): number => {
    const known = numbers.get(one);
    if (known !== undefined) return known;
    return numbered(one, slices.push({ ...one, members: one.members.map(message) }) - 1);
  };
  const numbered = (one: Part | Content | WireSlice, at: number): number => {
    numbers.set(one, at);
    return at;
  };
  return { message, packed: { parts, messages, slices } };
}

/** `undefined` for a record of another schema. */
export function decodeCompaction(text: string): Compaction | undefined {
  const { after, system, parts, messages: packed, slices, ...rest } = JSON.parse(text) as PackedCompaction;
  if (rest.schemaVersion !== COMPACTION_SCHEMA_VERSION) return undefined;
  const messages = unpack({ parts, messages: packed, slices });
  const unpacked = (numbers: readonly number[]): readonly Message[] => numbers.map((at) => messages[at]!);
  const { lost: _, ...report } = rest.report as Compaction["report"] & { readonly lost?: unknown };
  return { ...rest, report, after: unpacked(after), ...(system === undefined ? {} : { system: unpacked(system) }) };
}

function unpack(packed: Packed): readonly Message[] {
  const parts: Part[] = [];
  // The parts of a tool result have lower numbers than the result itself.
  for (const part of packed.parts) {
    const content = part.kind === "tool-result" ? part.content.map((at) => parts[at] as ContentPart) : [];
    parts.push(Object.freeze(part.kind === "tool-result" ? { ...part, content: Object.freeze(content) } : part));
  }
  const contents = packed.messages.map(({ wire: _, ...bare }) =>
    Object.freeze({ ...bare, parts: Object.freeze(bare.parts.map((at) => parts[at]!)) }),
  );
  const slices = packed.slices.map(({ members, ...slice }): WireSlice => {
    const own = members.map((at) => contents[at]!);
    // Records of earlier versions do not say it.
    const ofSystem = slice.ofSystem ?? (own[0]?.role === "system" && !slice.raw.startsWith("{"));
    return Object.freeze({ ...slice, ...(ofSystem ? { ofSystem } : {}), members: Object.freeze(own) });
  });
  return packed.messages.map(({ wire }, at): Message =>
    wire === undefined ? contents[at]! : Object.freeze({ ...contents[at]!, wire: slices[wire]! }),
  );
}
