/** Compactions of a conversation that a person has edited: the record of an edit itself, and later ones that hold to it. */
import type { CompactRequest, Estimator, Outcome } from "../engines/contract.ts";
import { sharesWire, type Message, type Transcript } from "../transcript/message.ts";
import { editByHand, placesOf, type PlacedOriginal } from "./by-hand.ts";
import {
  applyCompaction,
  COMPACTION_SCHEMA_VERSION,
  type Compaction,
  type CompactionReport,
  type Destination,
  type HandEdit,
} from "./compaction.ts";
import { reachTo } from "./reach.ts";

/** Has an engine compact the conversation as the edits leave it; the answer is of the original. */
export async function compactEdited(
  original: Transcript,
  edits: readonly HandEdit[],
  request: CompactRequest,
  compact: (transcript: Transcript, request: CompactRequest) => Promise<Outcome>,
): Promise<Outcome> {
  if (edits.length === 0) return compact(original, request);
  // What is only shortened the engine reads whole: shortened twice, it would be recalled in two steps.
  const drops = edits.filter(({ how }) => how === "drop");
  const edited = editByHand(placesOf(original.messages), drops, request);
  const transcript = { ...original, messages: edited.placed.map(({ message }) => message) };
  const outcome = await compact(transcript, request);
  if (outcome.kind === "unchanged") return outcome;
  const { placed } = edited;
  const last = placed.findLastIndex(({ message, from }) => from < 0 || message !== original.messages[from]);
  const compaction = reachTo(outcome.compaction, wholeWire(transcript.messages, last + 1), transcript, request.chain);
  const covered = placed[compaction.covered]?.start ?? original.messages.length;
  const startOf = (at: number): number => placed[at]?.start ?? original.messages.length;
  const evicted = compaction.evicted.map((one) => ({
    ...one,
    message: startOf(one.message),
    ...(one.end === undefined ? {} : { end: startOf(one.end) }),
  }));
  const made: Compaction = {
    ...compaction,
    covered,
    covers: request.chain.linksOf(original.messages.slice(0, covered)).at(-1)!,
    map: mapOf(original, covered, destinationsIn(compaction, placed)),
    evicted: [...evicted, ...edited.evicted],
    byHand: edits,
    report: { ...compaction.report, messages: { ...compaction.report.messages, before: original.messages.length } },
  };
  const shortened = edits.reduce((upon, edit) => shortenUpon(original, upon, edit, request), made);
  return { kind: "compacted", compaction: { ...shortened, byHand: edits } };
}

/** The same with what is still there of a range in its short form. */
function shortenUpon(original: Transcript, standing: Compaction, edit: HandEdit, estimator: Estimator): Compaction {
  if (edit.how !== "compact") return standing;
  const record = recordOfEdit({ original, standing, edit, engine: "", state: undefined }, estimator);
  if (record === undefined) return standing;
  const { tokens, messages, parts, recall } = record.report;
  const after = { ...standing.report.tokens, after: tokens.after };
  return { ...record, report: { ...standing.report, tokens: after, messages, parts, recall } };
}

type Going = Destination & { readonly message?: Message };

/** By the place of the original. */
function destinationsIn({ map, after }: Compaction, placed: readonly PlacedOriginal[]): (from: number) => Going {
  const places = new Map(placed.map(({ from }, at) => [from, at] as const));
  return (from) => {
    const destination = map[places.get(from) ?? -1];
    if (destination === undefined) return SUMMARISED;
    return "at" in destination ? { ...destination, message: after[destination.at]! } : destination;
  };
}

const SUMMARISED: Destination = Object.freeze({ kind: "summarised" });

/** One destination a message; what is there in other words was edited. */
function mapOf(
  { messages }: Transcript,
  covered: number,
  destinationOf: (from: number) => Going,
): readonly Destination[] {
  return Array.from({ length: covered }, (_, from) => {
    const { message, ...destination } = destinationOf(from);
    if (destination.kind !== "kept" || message === messages[from]) return destination;
    return { ...destination, kind: "edited" as const };
  });
}

/** Past the messages that came in one wire message with the last. */
function wholeWire(messages: readonly Message[], end: number): number {
  let whole = end;
  while (whole > 0 && whole < messages.length && sharesWire(messages[whole - 1], messages[whole]!)) whole++;
  return whole;
}

export interface HandEditing {
  readonly original: Transcript;
  /** What is in effect now. */
  readonly standing: Compaction | undefined;
  readonly edit: HandEdit;
  /** Of the session, where no compaction is in effect. */
  readonly engine: string;
  readonly state: unknown;
}

/** The record of an edit, upon the compaction in effect; undefined where none of its messages is there any more, or nothing changed. */
export function recordOfEdit(editing: HandEditing, estimator: Estimator): Compaction | undefined {
  const { original, standing, edit, engine, state } = editing;
  const current = standing === undefined ? original : applyCompaction(original, standing);
  const before = currentPlaces(current.messages, original, standing);
  const { placed, evicted } = editByHand(before, [edit], estimator, (one) => isWhole(one, original, estimator));
  const messages = placed.map(({ message }) => message);
  const known = new Set(before.map(({ message }) => message));
  const last = placed.findLastIndex(({ message }) => !known.has(message));
  if (evicted.length === 0 || last < 0) return undefined;
  const least = placed.findIndex(({ start }) => start > (standing?.covered ?? 0));
  const end = wholeWire(messages, Math.max(last + 1, least < 0 ? placed.length : least));
  const covered = placed[end]?.start ?? original.messages.length;
  const place = new Map(placed.slice(0, end).flatMap(({ from }, at) => (from < 0 ? [] : [[from, at] as const])));
  const compaction: Omit<Compaction, "report"> = {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after: messages.slice(0, end),
    covered,
    covers: estimator.chain.linksOf(original.messages.slice(0, covered)).at(-1)!,
    ...(standing?.system === undefined ? {} : { system: standing.system }),
    map: mapOf(original, covered, (from) => {
      const at = place.get(from);
      return at === undefined ? SUMMARISED : { kind: "kept", at, message: messages[at]! };
    }),
    evicted: [...(standing?.evicted ?? []), ...evicted],
    byHand: [...(standing?.byHand ?? []), edit],
    state: standing?.state ?? state,
  };
  const ids = evicted.map(({ id }) => id);
  const report = reportOf(
    { ...editing, engine: standing?.report.engine ?? engine },
    { compaction, current, ids },
    estimator,
  );
  return { ...compaction, report };
}

function isWhole({ message, from }: PlacedOriginal, { messages }: Transcript, { chain }: Estimator): boolean {
  const whole = messages[from];
  return whole !== undefined && (message === whole || chain.hashOf(message) === chain.hashOf(whole));
}

/** What is sent now, each message with the place of the original that it stands for. */
function currentPlaces(
  current: readonly Message[],
  original: Transcript,
  standing: Compaction | undefined,
): readonly PlacedOriginal[] {
  if (standing === undefined) return placesOf(original.messages);
  const from = new Map<number, number>();
  standing.map.forEach((destination, at) => {
    if ("at" in destination && !from.has(destination.at)) from.set(destination.at, at);
  });
  const kept = standing.after.length;
  let start = 0;
  return current.map((message, at) => {
    const own = at < kept ? (from.get(at) ?? -1) : at - kept + standing.covered;
    const before = own < 0 ? start : own;
    start = own < 0 ? start : own + 1;
    return { message, from: own, start: before };
  });
}

interface Edited {
  readonly compaction: Omit<Compaction, "report">;
  /** What was sent before. */
  readonly current: Transcript;
  /** Recall ids of what left now. */
  readonly ids: readonly string[];
}

function reportOf(
  { original, standing, edit, engine }: HandEditing,
  { compaction, current, ids }: Edited,
  { measure }: Estimator,
): CompactionReport {
  const applied = applyCompaction(original, compaction as Compaction);
  const after = measure.transcript(applied);
  const before = measure.transcript(current);
  const count = (kind: Destination["kind"]): number => compaction.map.filter((one) => one.kind === kind).length;
  const parts = standing?.report.parts ?? {
    system: measure.messages(applied.system),
    tools: applied.tools === undefined ? 0 : measure.text(applied.tools),
    head: 0,
    handoff: 0,
    anchor: 0,
    tail: before,
  };
  return {
    engine,
    reason: "explicit",
    because: `${edit.how === "drop" ? "dropped" : "compacted"} by hand: messages ${edit.from + 1} to ${edit.end}`,
    tokens: { before, after },
    messages: {
      before: original.messages.length,
      after: applied.messages.length,
      kept: original.messages.length - compaction.covered + count("kept"),
      edited: count("edited"),
      summarised: count("summarised"),
    },
    parts: { ...parts, tail: Math.max(0, parts.tail - (before - after)) },
    rung: 0,
    degraded: [],
    recall: [...new Set([...(standing?.report.recall ?? []), ...ids])],
    modelCalls: 0,
    costUsd: 0,
  };
}
