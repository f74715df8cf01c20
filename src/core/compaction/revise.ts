/** A compaction after the fact: it reaches further, has messages in another form or original ones put back, and counts itself again. */
import type { Estimator } from "../engines/contract.ts";
import type { Chain } from "../transcript/links.ts";
import { wholeWire, withParts, type Message, type Part, type Transcript } from "../transcript/message.ts";
import {
  applyCompaction,
  COMPACTION_SCHEMA_VERSION,
  type Compaction,
  type CompactionReport,
  type Destination,
  type Evicted,
} from "./compaction.ts";

/** One that changes nothing yet: what a person or a session does to a conversation that no compaction is in effect for begins with it. */
export function emptyCompaction(
  original: Transcript,
  { engine, reason, state }: Pick<CompactionReport, "engine" | "reason"> & Pick<Compaction, "state">,
  { measure }: Pick<Estimator, "measure">,
): Compaction {
  const tokens = measure.transcript(original);
  const count = original.messages.length;
  return {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after: [],
    covered: 0,
    covers: "",
    map: [],
    evicted: [],
    state,
    report: {
      engine,
      reason,
      tokens: { before: tokens, after: tokens },
      messages: { before: count, after: count, kept: count, edited: 0, summarised: 0 },
      parts: {
        system: measure.messages(original.system),
        tools: original.tools === undefined ? 0 : measure.text(original.tools),
        head: 0,
        handoff: 0,
        anchor: 0,
        tail: measure.messages(original.messages),
      },
      rung: 0,
      degraded: [],
      recall: [],
      modelCalls: 0,
      costUsd: 0,
    },
  };
}

/** The same result, with the messages up to `covered` recorded as they are. Itself where it reaches that far. */
export function reachTo(compaction: Compaction, covered: number, original: Transcript, chain: Chain): Compaction {
  const end = Math.min(covered, original.messages.length);
  if (end <= compaction.covered) return compaction;
  const kept = original.messages.slice(compaction.covered, end);
  const places = kept.map((_, at): Destination => ({ kind: "kept", at: compaction.after.length + at }));
  return {
    ...compaction,
    after: [...compaction.after, ...kept],
    covered: end,
    covers: chain.linksOf(original.messages.slice(0, end)).at(-1)!,
    map: [...compaction.map, ...places],
  };
}

/** For an index of the rewritten conversation, the index of the message it was; undefined for what precis wrote. */
export function originsIn({ map, after, covered }: Compaction): (at: number) => number | undefined {
  const origins = new Map<number, number>();
  map.forEach((destination, index) => {
    if ("at" in destination && !origins.has(destination.at)) origins.set(destination.at, index);
  });
  return (at) => (at < after.length ? origins.get(at) : at - after.length + covered);
}

export interface Amendment {
  readonly edits: ReadonlyMap<number, Message>;
  readonly evicted?: readonly Evicted[];
  readonly estimator: Estimator;
}

/** The compaction with some messages in another form. It grows to the last of them, in the client's own chain. */
export function amend(
  compaction: Compaction,
  original: Transcript,
  { edits, evicted = [], estimator }: Amendment,
): Compaction {
  if (edits.size === 0) return compaction;
  const originOf = originsIn(compaction);
  const rewritten = [...compaction.after, ...original.messages.slice(compaction.covered)];
  let last = compaction.after.length;
  for (const at of edits.keys()) last = Math.max(last, at + 1);
  const covered = compaction.covered + wholeWire(rewritten, last) - compaction.after.length;
  const reaching = reachTo(compaction, covered, original, estimator.chain);
  const edited = new Set(Array.from(edits.keys(), originOf));
  const next = {
    ...reaching,
    after: reaching.after.map((message, at) => edits.get(at) ?? message),
    map: reaching.map.map((to, at) => ("at" in to && edited.has(at) ? { kind: "edited" as const, at: to.at } : to)),
    evicted: [...compaction.evicted, ...evicted],
  };
  return recount(next, original, { estimator, part: "tail", recounts: evicted.length > 0 });
}

export interface PuttingBack {
  /** Indices of original messages that the result does not hold, ascending. */
  readonly missing: readonly number[];
  /** The index of `after` that one is put in front of. */
  readonly placeOf: (at: number) => number;
  /** Indices of those that the result holds in another form. */
  readonly edited?: readonly number[];
}

/** The compaction with original messages in it as they were; what was cut out of them is in it again. */
export function putBack(
  compaction: Compaction,
  original: Transcript,
  { missing, placeOf, edited = [] }: PuttingBack,
): Compaction {
  const { after, map } = compaction;
  if (missing.length === 0 && edited.length === 0) return compaction;
  const messageAt = (at: number): Message => original.messages[at]!;
  const originals = new Map(edited.map((at) => [(map[at] as { readonly at: number }).at, messageAt(at)]));
  const inserted = Map.groupBy(missing, placeOf);
  const whole: Message[] = [];
  /** Where the messages of the result and those put back have come to be. */
  const moved: number[] = [];
  const restored = new Map<number, number>();
  for (let at = 0; at <= after.length; at++) {
    for (const one of inserted.get(at) ?? []) restored.set(one, whole.push(messageAt(one)) - 1);
    if (at < after.length) moved.push(whole.push(originals.get(at) ?? after[at]!) - 1);
  }
  const kept = new Set([...missing, ...edited]);
  const destinations = map.map((destination, at): Destination => {
    if ("at" in destination) return { kind: kept.has(at) ? "kept" : destination.kind, at: moved[destination.at]! };
    const place = restored.get(at);
    return place === undefined ? destination : { kind: "kept", at: place };
  });
  const evicted = compaction.evicted.filter(({ kind, message }) => kind === "span" || !kept.has(message));
  return { ...compaction, after: whole, map: destinations, evicted };
}

export interface Recounting {
  readonly estimator: Pick<Estimator, "measure">;
  /** The part of the result whose tokens have changed. */
  readonly part: "head" | "tail";
  /** Whether the recall ids are those of what is evicted now. */
  readonly recounts?: boolean;
}

export function recount(
  compaction: Compaction,
  original: Transcript,
  { estimator: { measure }, part, recounts = true }: Recounting,
): Compaction {
  const { report, map, evicted } = compaction;
  const applied = applyCompaction(original, compaction);
  const after = measure.transcript(applied);
  const count = (kind: Destination["kind"]): number => map.filter((one) => one.kind === kind).length;
  const { removed: _, ...messages } = report.messages;
  const removed = count("removed");
  return {
    ...compaction,
    report: {
      ...report,
      tokens: { ...report.tokens, after },
      messages: {
        ...messages,
        after: applied.messages.length,
        kept: original.messages.length - map.length + count("kept"),
        edited: count("edited"),
        summarised: count("summarised"),
        ...(removed === 0 ? {} : { removed }),
      },
      parts: { ...report.parts, [part]: report.parts[part] + after - report.tokens.after },
      recall: recounts ? [...new Set(evicted.map(({ id }) => id))] : report.recall,
    },
  };
}

/**
 * What declares tools or settings is no conversation: without it the model could not call those tools again, or would answer with
 * other settings. What a compaction leaves out of it is put back before its handoff, unless something later declares the same.
 * Itself where none is missing.
 */
export function withDeclarations(compaction: Compaction, original: Transcript, estimator: Estimator): Compaction {
  const missing = missingDeclarations(compaction, original.messages);
  if (missing.length === 0) return compaction;
  const place = Math.max(
    0,
    compaction.after.findIndex(({ origin }) => origin === "summary"),
  );
  const messages = original.messages.map((message, at) => (missing.includes(at) ? declarationIn(message) : message));
  const whole = putBack(compaction, { ...original, messages }, { missing, placeOf: () => place });
  return recount({ ...whole, evicted: compaction.evicted }, original, { estimator, part: "head", recounts: false });
}

/** Tokens of all that a result has to declare again. */
export function declaredTokens({ messages }: Transcript, { measure }: Estimator): number {
  return measure.messages(messages.filter(declares));
}

function missingDeclarations(
  { map, covered, byHand = [] }: Compaction,
  messages: readonly Message[],
): readonly number[] {
  const declared = new Set<string>();
  const missing: number[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    if (!declares(messages[at]!)) continue;
    const names = namesIn(messages[at]!);
    const stands = at >= covered || "at" in map[at]!;
    const dropped = byHand.some(({ how, from, end }) => how === "drop" && at >= from && at < end);
    if (!stands && !dropped && names.some((name) => !declared.has(name))) missing.unshift(at);
    names.forEach((name) => declared.add(name));
  }
  return missing;
}

function declares({ parts }: Message): boolean {
  return parts.some(isDeclaration);
}

function isDeclaration(part: Part): boolean {
  return part.kind === "opaque" && part.declares !== undefined;
}

/** Without words that are beside it: those are told in the handoff. */
function declarationIn(message: Message): Message {
  const parts = message.parts.filter(isDeclaration);
  return parts.length === message.parts.length ? message : withParts(message, parts);
}

function namesIn({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.kind === "opaque" ? (part.declares ?? []) : []));
}
