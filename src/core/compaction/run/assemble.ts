/**
 * Puts a shape together: head, what is kept of the middle, handoff, the live request where it would otherwise be lost,
 * tail. Keeps for every message the index it came from, so that the compaction can say where each old message went.
 */
import type { Destination, Evicted } from "../compaction.ts";
import { repairArguments } from "../../passes/repair-arguments.ts";
import { repairText } from "../../passes/repair-text.ts";
import { orphanOf, repairPairs } from "../../passes/repair-pairs.ts";
import { sharesWire, textMessage, type Message } from "../../transcript/message.ts";
import type { Estimator } from "../../engines/contract.ts";

/** Head and tail of a result; what is between goes into the handoff. `messages[i]` is original `i`, perhaps rewritten. */
export interface ResultShape {
  /** The step of the engine's ladder: 0 where none was needed. */
  readonly rung: number;
  readonly messages: readonly Message[];
  readonly headEnd: number;
  readonly tailStart: number;
  readonly evicted: readonly Evicted[];
}

/** A message of the result with the index of the original it stands for; -1 for one of ours. */
export interface PlacedMessage {
  readonly message: Message;
  readonly from: number;
}

export interface AssembledResult {
  readonly placed: readonly PlacedMessage[];
  /** How many original messages the result's changed part replaces. */
  readonly covered: number;
  /** How many messages of `placed` stand for those. */
  readonly replaced: number;
  readonly map: readonly Destination[];
  /** What the repair of pairs removed. */
  readonly evicted: readonly Evicted[];
}

/**
 * The live request as a message of its own, whole and apart from the wire message it came in; `undefined` where it is
 * in the head, in the tail or among what is kept between them, because nothing is to be said twice.
 */
export function anchorFor(
  original: Message | undefined,
  live: number,
  { headEnd, tailStart }: Pick<ResultShape, "headEnd" | "tailStart">,
  kept?: KeptMessages,
): Message | undefined {
  const stands = live < headEnd || live >= tailStart || (kept?.placed.some(({ from }) => from === live) ?? false);
  if (original === undefined || stands) return undefined;
  const parts = original.parts.map(({ at: _, ...part }) => Object.freeze(part));
  return Object.freeze({ role: "user", parts: Object.freeze(parts), origin: "anchor" });
}

/** Messages between head and handoff: some of those that the handoff replaces, where an engine keeps them, and its own. */
export interface KeptMessages {
  readonly placed: readonly PlacedMessage[];
  /** What was cut out of them. */
  readonly evicted: readonly Evicted[];
}

export interface Pieces {
  readonly shape: ResultShape;
  readonly kept?: KeptMessages | undefined;
  readonly handoff: string | undefined;
  /** Messages of ours between handoff and live request. */
  readonly restored?: readonly Message[] | undefined;
  readonly anchor: Message | undefined;
}

export function assemble(originals: readonly Message[], pieces: Pieces, estimator: Estimator): AssembledResult {
  const { shape, kept, handoff, restored = [], anchor } = pieces;
  const own = (start: number, end: number): PlacedMessage[] =>
    shape.messages.slice(start, end).map((message, offset) => ({ message, from: start + offset }));
  const joined: PlacedMessage[] = [
    ...own(0, shape.headEnd),
    ...(kept?.placed ?? []),
    ...(handoff === undefined ? [] : [{ message: textMessage("user", handoff, "summary"), from: -1 }]),
    ...restored.map((message) => ({ message, from: -1 })),
    ...(anchor === undefined ? [] : [{ message: anchor, from: -1 }]),
    ...own(shape.tailStart, shape.messages.length),
  ];
  const repaired = repair(joined, estimator);
  const { placed } = repaired;
  const removed = repaired.orphans.map((at) => orphanOf(originals[at]!, at, estimator.chain.hash));
  const untouched = commonSuffix(originals, placed, shape.tailStart);
  const covered = originals.length - untouched;
  return {
    placed,
    covered,
    replaced: placed.length - untouched,
    map: mapOf(originals, { placed, removed: new Set(removed.map(({ message }) => message)) }, covered),
    evicted: [...removed, ...repaired.evicted],
  };
}

interface RepairedResult extends Pick<AssembledResult, "placed" | "evicted"> {
  /** Indices of original results that answer no call and were left out. */
  readonly orphans: readonly number[];
}

/** What the client sent may be broken already; what goes out is not. */
function repair(joined: readonly PlacedMessage[], estimator: Estimator): RepairedResult {
  const context = { measure: estimator.measure, hash: estimator.chain.hash, protect: () => false, focus: [] };
  const messages = joined.map(({ message }) => message);
  const pairs = repairPairs(messages, context);
  const calls = repairArguments(repairText(pairs.messages, context).messages, context);
  if (calls.messages === messages) return { placed: joined, evicted: [], orphans: [] };
  const placed = calls.messages.map((message, at) => ({ message, from: joined[pairs.from[at]!]?.from ?? -1 }));
  const evicted = calls.evicted.map((one) => ({ ...one, message: placed[one.message]?.from ?? -1 }));
  return { placed, evicted, orphans: pairs.evicted.map(({ message }) => joined[message]!.from) };
}

/**
 * Length of the tail that went through as it was: from the end, by identity and place, because a broken transcript may
 * hold one message twice. Messages that share a wire message with one that is recorded are recorded with it, so that it
 * is written as one whoever reads the record.
 */
function commonSuffix(originals: readonly Message[], placed: readonly PlacedMessage[], from: number): number {
  let length = 0;
  const most = Math.min(originals.length - from, placed.length);
  const isUntouched = ({ message, from: place }: PlacedMessage): boolean =>
    place === originals.length - 1 - length && message === originals[place];
  while (length < most && isUntouched(placed[placed.length - 1 - length]!)) length++;
  while (length > 0 && sharesWire(placed[placed.length - 1 - length]?.message, placed[placed.length - length]!.message))
    length--;
  return length;
}

/** One object each for all the messages that go this way. */
const REMOVED: Destination = Object.freeze({ kind: "removed" });
const SUMMARISED: Destination = Object.freeze({ kind: "summarised" });

function mapOf(
  originals: readonly Message[],
  { placed, removed }: { readonly placed: readonly PlacedMessage[]; readonly removed: ReadonlySet<number> },
  covered: number,
): readonly Destination[] {
  const map: Destination[] = Array.from({ length: covered }, (_, at) => (removed.has(at) ? REMOVED : SUMMARISED));
  placed.forEach(({ message, from }, at) => {
    if (from >= 0 && from < covered) map[from] = { kind: message === originals[from] ? "kept" : "edited", at };
  });
  return map;
}
