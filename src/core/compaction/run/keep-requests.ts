/**
 * Every request of the user stays word for word, whatever the engine. What its result leaves out is put back before the
 * handoff; the engine gets as much less room, and a result that cannot hold them all is refused with the reason.
 */
import {
  applyCompaction,
  NO_LOSSES,
  type Compaction,
  type CompactionReport,
  type Destination,
  type Irreducible,
} from "../compaction.ts";
import { liveRequestOf } from "../../ledger/readers/live-request.ts";
import { byPerson } from "../../ledger/readers/person.ts";
import { createLedgerKeeper, type Ledger } from "../../ledger/ledger.ts";
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
}

/** Compacts, and keeps every request. It remembers what it has read of a conversation. */
export type RequestKeeper = (keeping: KeptMessages) => Promise<Outcome>;

/**
 * An engine that is given less room may leave out more requests, which then need room as well. The last attempt leaves room
 * for all of them.
 */
const ATTEMPTS_MAX = 4;

export function createRequestKeeper(): RequestKeeper {
  const ledger = createLedgerKeeper();
  return async (keeping) => {
    const { original, request, limitTokens, compact } = keeping;
    const entries = ledger.ledgerOf(original.messages);
    const restoring: Restoring = { ...keeping, entries, requests: requestsIn(original.messages, entries) };
    const { measure, standing = original } = request;
    const before = measure.transcript(standing);
    const messages = restoring.requests.map((at) => original.messages[at]!);
    const requestsTokens = measure.messages(messages);
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
      const compaction = withRequests(outcome.compaction, restoring);
      const { after } = compaction.report.tokens;
      smallest = Math.min(smallest, after);
      if (after <= limitTokens && after < before)
        return (await aided({ ...request, ...room }, restoring)) ?? { kind: "compacted", compaction };
      const restored = attempt === attempts - 2 ? requestsTokens : after - outcome.compaction.report.tokens.after;
      budget = Math.min(limitTokens, before - 1) - restored;
      if (budget < 1) break;
    }
    const because = `the user's ${messages.length} requests take ${requestsTokens} tokens, and compression.keep_requests: all keeps all of them word for word`;
    if (before <= limitTokens) return { kind: "unchanged", because: `nothing smaller is possible: ${because}` };
    const irreducible: Irreducible = { limit: limitTokens, smallest, because, code: "keep_requests" };
    return { kind: "unchanged", because, irreducible };
  };
}

/** The same with the models that may write; nothing where there are none, or what they wrote leaves too little room. */
async function aided(request: CompactRequest, restoring: Restoring): Promise<Outcome | undefined> {
  if (request.writers === undefined && request.remote === undefined) return undefined;
  const outcome = await restoring.compact(request);
  if (outcome.kind === "unchanged") return undefined;
  const compaction = withRequests(outcome.compaction, restoring);
  const { after, before } = compaction.report.tokens;
  return after <= restoring.limitTokens && after < before ? { kind: "compacted", compaction } : undefined;
}

/** What a person wrote, and what else the ledger takes for a request of theirs. */
function requestsIn(messages: readonly Message[], { requests }: Ledger): readonly number[] {
  const places = new Set(requests.map(({ message }) => message));
  return messages.flatMap((message, at) => (places.has(at) || byPerson(message) ? at : []));
}

interface Restoring extends KeptMessages {
  /** Indices of the requests, in order. */
  readonly requests: readonly number[];
  readonly entries: Ledger;
}

/** The same compaction with every request in it, as it was. */
function withRequests(compaction: Compaction, restoring: Restoring): Compaction {
  const { original, requests } = restoring;
  const { after, map } = compaction;
  const live = liveRequestOf(original.messages);
  const isMissing = (at: number): boolean => {
    const destination = map[at];
    if (destination === undefined || "at" in destination) return false;
    return at !== live || !isAnchored(after, original.messages[at]!);
  };
  const missing = requests.filter(isMissing);
  const edited = requests.filter((at) => map[at]?.kind === "edited");
  if (missing.length === 0 && edited.length === 0) return accounted(compaction, compaction, restoring);
  const originals = new Map(edited.map((at) => [(map[at] as { readonly at: number }).at, original.messages[at]!]));
  const places = placesIn(compaction);
  const inserted = Map.groupBy(missing, (at) => places[at]!);
  const whole: Message[] = [];
  /** Where the messages of the result and the requests have come to stand. */
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
  // The pieces of an edited request stand in it again.
  const evicted = compaction.evicted.filter(({ kind, message }) => kind === "span" || !kept.has(message));
  return accounted(compaction, { ...compaction, after: whole, map: destinations, evicted }, restoring);
}

/** For each message its place in the result: behind what stood before it, and not between a call and its results. */
function placesIn({ after, map }: Compaction): readonly number[] {
  let next = 0;
  return map.map((destination) => {
    while (after[next]?.role === "tool") next++;
    const place = next;
    if ("at" in destination) next = Math.max(next, destination.at + 1);
    return place;
  });
}

/** The live request stands as a message of ours, in the same words. */
function isAnchored(after: readonly Message[], { parts }: Message): boolean {
  const text = contentText(parts);
  return after.some((message) => message.origin === "anchor" && contentText(message.parts) === text);
}

/** The figures of what the compaction has become. */
function accounted(before: Compaction, compaction: Compaction, restoring: Restoring): Compaction {
  const { original, request, limitTokens, entries } = restoring;
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
    lost: { ...report.lost, requests: NO_LOSSES.requests, ...constraintsHeld(entries, compaction) },
  };
  return { ...compaction, report: next };
}

/** Most of what must hold was said in requests. What was said elsewhere, the engine has counted. */
function constraintsHeld({ constraints }: Ledger, { map }: Compaction): Partial<CompactionReport["lost"]> {
  const stands = (at: number): boolean => map[at] === undefined || map[at].kind === "kept";
  const held = constraints.every(({ message, last }) => stands(message) || stands(last));
  return held ? { constraints: NO_LOSSES.constraints } : {};
}
