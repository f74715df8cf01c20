/**
 * Messages that stay word for word, whatever the engine: every request of the user where that is wanted, and what a person
 * pinned. What its result leaves out is put back where it was; the engine gets as much less room, and a result that cannot
 * hold them all is refused with the reason.
 */
import {
  applyCompaction,
  type Compaction,
  type CompactionReport,
  type Destination,
  type HandEdit,
  type Irreducible,
} from "../compaction.ts";
import { withFacts, type Pins } from "../pins.ts";
import { createRedactor } from "../../redaction/redactor.ts";
import { liveRequestOf } from "../../events/live-request.ts";
import { byPerson } from "../../events/person.ts";
import { contentText, type Message, type Transcript } from "../../transcript/message.ts";
import type { CompactRequest, Outcome } from "../../engines/contract.ts";
import { isTrimmedRemark } from "./trimmed.ts";

export interface KeptMessages {
  readonly original: Transcript;
  readonly request: CompactRequest;
  /** A result above this is refused, in tokens. */
  readonly limitTokens: number;
  /** Has the engine compact. */
  readonly compact: (request: CompactRequest) => Promise<Outcome>;
  readonly pins: Pins;
  /** What a person dropped is not put back. */
  readonly byHand: readonly HandEdit[];
}

/** Compacts, and keeps what has to stay. It remembers what it has read of a conversation. */
export type MessageKeeper = (keeping: KeptMessages) => Promise<Outcome>;

/**
 * An engine that is given less room may leave out more requests, which then need room as well. The last attempt leaves room
 * for all of them.
 */
const ATTEMPTS_MAX = 4;

export function createMessageKeeper({ keepsRequests }: { readonly keepsRequests: boolean }): MessageKeeper {
  return async (keeping) => {
    const { original, request, limitTokens, compact, pins } = keeping;
    if (!keepsRequests && pins.messages.length + pins.facts.length === 0) return compact(request);
    const requests = keepsRequests ? requestsIn(original.messages).filter(isLeft(keeping)) : [];
    const restoring: Restoring = { ...keeping, kept: union(requests, pins.messages) };
    const { measure, standing = original } = request;
    const before = measure.transcript(standing);
    const messages = restoring.kept.map((at) => original.messages[at]!);
    const keptTokens = measure.messages(messages);
    const attempts = measure.transcript({ ...original, messages }) > limitTokens ? 0 : ATTEMPTS_MAX;
    const { writers: _, remote: __, ...unaided } = request;
    let smallest = before;
    let budget = request.budget;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const room = budget === undefined ? {} : { budget };
      // Models are asked once, when it is known how much room there is.
      const outcome = await compact({ ...unaided, ...room });
      if (outcome.kind === "unchanged" && attempt === 0) return outcome;
      if (outcome.kind === "unchanged") break;
      const compaction = withKept(outcome.compaction, restoring);
      const { after } = compaction.report.tokens;
      smallest = Math.min(smallest, after);
      if (after <= limitTokens && after < before)
        return (await aided({ ...request, ...room }, restoring)) ?? { kind: "compacted", compaction };
      const restored = attempt === attempts - 2 ? keptTokens : after - outcome.compaction.report.tokens.after;
      budget = Math.min(limitTokens, before - 1) - restored;
      if (budget < 1) break;
    }
    const because = keptBecause({ requests, pins, keptTokens });
    if (before <= limitTokens) return { kind: "unchanged", because: `nothing smaller is possible: ${because}` };
    const irreducible: Irreducible = {
      limit: limitTokens,
      smallest,
      because,
      code: keepsRequests ? "keep_requests" : "pinned",
    };
    return { kind: "unchanged", because, irreducible };
  };
}

function isLeft({ byHand }: KeptMessages): (at: number) => boolean {
  return (at) => !byHand.some(({ how, from, end }) => how === "drop" && at >= from && at < end);
}

interface Kept {
  readonly requests: readonly number[];
  readonly pins: Pins;
  readonly keptTokens: number;
}

function keptBecause({ requests, pins, keptTokens }: Kept): string {
  const pinned = pins.messages.length;
  if (requests.length === 0)
    return `the ${pinned} pinned messages take ${keptTokens} tokens, and none of them is summarised`;
  const also = pinned === 0 ? "" : ` and ${pinned} pinned messages`;
  return `the user's ${requests.length} requests${also} take ${keptTokens} tokens, and compression.keep_requests: all keeps all of them word for word`;
}

function union(one: readonly number[], other: readonly number[]): readonly number[] {
  return other.length === 0 ? one : [...new Set([...one, ...other])].toSorted((a, b) => a - b);
}

/** The same with the models that may write; nothing where there are none, or what they wrote leaves too little room. */
async function aided(request: CompactRequest, restoring: Restoring): Promise<Outcome | undefined> {
  if (request.writers === undefined && request.remote === undefined) return undefined;
  const outcome = await restoring.compact(request);
  if (outcome.kind === "unchanged") return undefined;
  const compaction = withKept(outcome.compaction, restoring);
  const { after, before } = compaction.report.tokens;
  return after <= restoring.limitTokens && after < before ? { kind: "compacted", compaction } : undefined;
}

/** What a person wrote. */
function requestsIn(messages: readonly Message[]): readonly number[] {
  return messages.flatMap((message, at) => (byPerson(message) ? at : []));
}

interface Restoring extends KeptMessages {
  /** Indices of what stays, in order. */
  readonly kept: readonly number[];
}

/** The same compaction with everything in it that stays, as it was, and with the pinned facts. */
function withKept(compaction: Compaction, restoring: Restoring): Compaction {
  const { pins, request } = restoring;
  const whole = withFacts(withMessages(compaction, restoring), pins.facts, createRedactor(request.secrets));
  return accounted(compaction, whole, restoring);
}

function withMessages(compaction: Compaction, { original, kept: staying }: Restoring): Compaction {
  const { after, map } = compaction;
  const live = liveRequestOf(original.messages);
  const isMissing = (at: number): boolean => {
    const destination = map[at];
    if (destination === undefined || "at" in destination) return false;
    return at !== live || !isAnchored(after, original.messages[at]!);
  };
  const missing = staying.filter(isMissing);
  const edited = staying.filter((at) => map[at]?.kind === "edited");
  if (missing.length === 0 && edited.length === 0) return compaction;
  const originals = new Map(edited.map((at) => [(map[at] as { readonly at: number }).at, original.messages[at]!]));
  const places = placesIn(compaction);
  const opened = after.findIndex(({ role }) => role === "user") + 1;
  // What a model said does not open a conversation: some providers refuse that.
  const placeOf = (at: number): number =>
    places[at] === 0 && original.messages[at]!.role !== "user" ? opened : places[at]!;
  const inserted = Map.groupBy(missing, placeOf);
  const whole: Message[] = [];
  /** Where the messages of the result and the requests have come to are. */
  const moved: number[] = [];
  const restored = new Map<number, number>();
  for (let at = 0; at <= after.length; at++) {
    for (const request of inserted.get(at) ?? []) restored.set(request, whole.push(original.messages[request]!) - 1);
    if (at < after.length) moved.push(whole.push(originals.get(at) ?? after[at]!) - 1);
  }
  const kept = new Set([...missing, ...edited]);
  const destinations = map.map((destination, at): Destination => {
    if ("at" in destination) return { kind: kept.has(at) ? "kept" : destination.kind, at: moved[destination.at]! };
    const place = restored.get(at);
    return place === undefined ? destination : { kind: "kept", at: place };
  });
  // The pieces of an edited request are in it again.
  const evicted = compaction.evicted.filter(({ kind, message }) => kind === "span" || !kept.has(message));
  return { ...compaction, after: whole, map: destinations, evicted };
}

/** For each message its place in the result: behind what came before it, and not between a call and its results. */
function placesIn({ after, map }: Compaction): readonly number[] {
  let next = 0;
  return map.map((destination) => {
    while (after[next]?.role === "tool") next++;
    const place = next;
    if ("at" in destination) next = Math.max(next, destination.at + 1);
    return place;
  });
}

/** The live request is a message of ours, in the same words. */
function isAnchored(after: readonly Message[], { parts }: Message): boolean {
  const text = contentText(parts);
  return after.some((message) => message.origin === "anchor" && contentText(message.parts) === text);
}

/** The figures of what the compaction has become. */
function accounted(before: Compaction, compaction: Compaction, restoring: Restoring): Compaction {
  const { original, request, limitTokens } = restoring;
  const applied = applyCompaction(original, compaction);
  const after = request.measure.transcript(applied);
  const { irreducible, ...report } = before.report;
  const count = (kind: Destination["kind"]): number => compaction.map.filter((one) => one.kind === kind).length;
  const next: CompactionReport = {
    ...report,
    tokens: { ...report.tokens, after },
    messages: {
      ...report.messages,
      after: applied.messages.length,
      kept: original.messages.length - compaction.map.length + count("kept"),
      edited: count("edited"),
      summarised: count("summarised"),
    },
    parts: { ...report.parts, head: report.parts.head + after - report.tokens.after },
    ...(irreducible === undefined || after <= limitTokens ? {} : { irreducible }),
    degraded: report.degraded.filter((remark) => !isTrimmedRemark(remark)),
    recall: [...new Set(compaction.evicted.map(({ id }) => id))],
  };
  return { ...compaction, report: next };
}
