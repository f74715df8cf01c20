/**
 * Messages that stay word for word, whatever the engine: every request of the user where that is wanted, and what a person
 * pinned; pinned facts are stated in every handoff. What an engine's result leaves out is put back where it was; the engine gets
 * as much less room, and a result that cannot hold them all is refused with the reason.
 */
import { type Compaction, type HandEdit, type Irreducible } from "./compaction.ts";
import { putBack, recount } from "./revise.ts";
import { redactorFor, type Redactor } from "../redaction/redactor.ts";
import { liveRequestOf } from "../events/live-request.ts";
import { byPerson } from "../events/person.ts";
import { contentText, type Message, type Transcript, textMessage, withParts } from "../transcript/message.ts";
import type { CompactRequest, Outcome } from "../engines/contract.ts";
import { HANDOFF_END, HANDOFF_START, opensWithHandoff, withQuotedMarks } from "../handoff/marks.ts";
import { exchangesOf } from "../transcript/exchanges.ts";

interface KeptMessages {
  readonly original: Transcript;
  readonly request: CompactRequest;
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
  const whole = withFacts(withMessages(compaction, restoring), pins.facts, redactorFor(request.secrets));
  return accounted(whole, restoring);
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
  const places = placesIn(compaction);
  const opened = after.findIndex(({ role }) => role === "user") + 1;
  // What a model said does not open a conversation: some providers refuse that.
  const placeOf = (at: number): number =>
    places[at] === 0 && original.messages[at]!.role !== "user" ? opened : places[at]!;
  return putBack(compaction, original, { missing, placeOf, edited });
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

function accounted(compaction: Compaction, { original, request, limitTokens }: Restoring): Compaction {
  const whole = recount(compaction, original, { estimator: request, part: "head" });
  const { irreducible, ...report } = whole.report;
  return {
    ...whole,
    report: {
      ...report,
      ...(irreducible === undefined || report.tokens.after <= limitTokens ? {} : { irreducible }),
      degraded: report.degraded.filter((remark) => !isTrimmedRemark(remark)),
    },
  };
}

export interface Pins {
  /** Indices in the original conversation, ascending. */
  readonly messages: readonly number[];
  readonly facts: readonly string[];
}

export const NO_PINS: Pins = Object.freeze({ messages: [], facts: [] });

/** Pinned messages with those that they cannot stand without: a call with its results. */
export function wholeExchanges(messages: readonly Message[], pinned: readonly number[]): readonly number[] {
  const wanted = new Set(pinned);
  return exchangesOf(messages).flatMap(({ start, end }) => {
    const all = Array.from({ length: end - start }, (_, offset) => start + offset);
    return all.some((at) => wanted.has(at)) ? all : [];
  });
}

/** Whether a compaction that was made before keeps to these pins. */
export function honours({ after, map }: Compaction, { messages, facts }: Pins, redact: Redactor): boolean {
  if (messages.some((at) => map[at] !== undefined && map[at].kind !== "kept")) return false;
  const text = facts.length === 0 ? "" : after.map(({ parts }) => contentText(parts)).join("\n");
  return facts.every((fact) => text.includes(redact(fact)));
}

/** The compaction with the facts in its handoff; where something was summarised without one, in a handoff of their own. */
function withFacts(compaction: Compaction, facts: readonly string[], redact: Redactor): Compaction {
  const { after, map } = compaction;
  if (facts.length === 0 || !map.some(({ kind }) => kind === "summarised")) return compaction;
  const lines = ["## Pinned", ...facts.map((fact) => `- ${withQuotedMarks(redact(fact))}`)].join("\n");
  const at = after.findIndex(isHandoff);
  if (at >= 0) return { ...compaction, after: after.with(at, stating(after[at]!, lines)) };
  const own = textMessage("user", `${HANDOFF_START}\n${lines}\n${HANDOFF_END}`, "summary");
  const first = map.findIndex(({ kind }) => kind === "summarised");
  const before = map.slice(0, first).findLast((one) => "at" in one);
  const place = before === undefined || !("at" in before) ? 0 : before.at + 1;
  const moved = map.map((one) => ("at" in one && one.at >= place ? { ...one, at: one.at + 1 } : one));
  return { ...compaction, after: after.toSpliced(place, 0, own), map: moved };
}

function isHandoff({ origin, parts }: Message): boolean {
  return origin === "summary" && opensWithHandoff(contentText(parts));
}

/** Behind the sentence that says what the record is, before everything that it says. */
function stating(handoff: Message, lines: string): Message {
  const at = handoff.parts.findIndex((part) => part.kind === "text" && opensWithHandoff(part.text));
  const part = handoff.parts[at];
  if (part?.kind !== "text") return handoff;
  const end = /\n(?=## |\[end of precis)/.exec(part.text)?.index ?? part.text.length;
  const text = `${part.text.slice(0, end)}\n${lines}${part.text.slice(end)}`;
  return withParts(handoff, handoff.parts.with(at, Object.freeze({ ...part, text })));
}

/** What a report says of messages of the user that had to go, one line for each count that is not 0; where they are put back, it is said no more. */
export function trimmedRemarks({ all, out, cut }: Readonly<Record<"all" | "out" | "cut", number>>): readonly string[] {
  return [
    ...(out === 0 ? [] : [`${out} of the user's ${all} messages left out to save room`]),
    ...(cut === 0 ? [] : [`${cut} of the user's ${all} messages cut in the middle to save room`]),
  ];
}

const TRIMMED = /^\d+ of the user's \d+ messages (?:left out|cut in the middle) to save room$/;

function isTrimmedRemark(remark: string): boolean {
  return TRIMMED.test(remark);
}
