/**
 * Where head, middle and tail meet, and the forms of a tail from whole down to its skeleton. Every boundary is between
 * exchanges, so no call is cut from its result.
 */
import { HANDOFF_TOKENS_MIN, isHandoff, lastHandoffAt } from "../handoff/write.ts";
import { digestResults } from "../passes/digest-results.ts";
import { evictMedia } from "../passes/evict-media.ts";
import { inSequence, type Pass, type PassContext } from "../passes/pass.ts";
import { shrinkArguments } from "../passes/shrink-arguments.ts";
import { stripReasoning } from "../passes/strip-reasoning.ts";
import { exchangesOf, type Exchange } from "../transcript/exchanges.ts";
import type { Measure } from "../transcript/measure.ts";
import { callsOf, type Message } from "../transcript/message.ts";
import type { Candidate, CompactionRun, ResultShape } from "./plan.ts";
import { skeletonOf } from "./skeleton.ts";

/** Messages at the end that stay whatever they weigh, until the ladder is climbed (Zhang 2026, section 8). */
export const TAIL_MESSAGES_MIN = 3;

/** The tail fills its tokens from the end, and may exceed them up to the ceiling to keep the exchange at its edge whole. */
export interface TailBudget {
  readonly tokens: number;
  readonly ceilingTokens: number;
  /** Messages honoured while they fit the ceiling. */
  readonly messages: number;
  readonly messagesMin: number;
}

/** A tail of that many tokens, and no more. */
export function tailOf(tokens: number): TailBudget {
  return { tokens, ceilingTokens: tokens, messages: 0, messagesMin: 0 };
}

/** The end of the head: the first `count` messages that precis did not write, moved forward to the next exchange, not past `most`. */
export function findHeadEnd(messages: readonly Message[], count: number, most: number): number {
  if (count === 0) return 0;
  let real = 0;
  for (const { start, end } of exchangesOf(messages)) {
    if (end > most) return start;
    for (let at = start; at < end; at++) if (messages[at]!.origin === undefined) real++;
    if (real >= count) return end;
  }
  return most;
}

export interface TailSearch {
  readonly from: number;
  readonly budget: TailBudget;
  readonly measure: Measure;
  /** Those of the conversation, where the messages are another form of it. */
  readonly exchanges?: readonly Exchange[];
}

/** The index at which the tail starts. The last exchange always belongs to the tail. */
export function tailStart(
  messages: readonly Message[],
  { from, budget, measure, exchanges = exchangesOf(messages) }: TailSearch,
): number {
  let start = messages.length;
  let tokens = 0;
  for (let at = exchanges.length - 1; at >= 0 && exchanges[at]!.end > from; at--) {
    const exchange = exchanges[at]!;
    const cost = measure.messages(messages.slice(exchange.start, exchange.end));
    const kept = messages.length - start;
    const isLast = kept === 0;
    const fits = tokens + cost <= budget.tokens;
    const edge = tokens < budget.tokens && tokens + cost <= budget.ceilingTokens;
    const honoured = kept < budget.messages && tokens + cost <= budget.ceilingTokens;
    if (!isLast && !fits && !edge && !honoured && kept >= budget.messagesMin) break;
    tokens += cost;
    start = Math.max(exchange.start, from);
  }
  return start;
}

/** Index after the last handoff that is among the messages; 0 without one. */
export function earlierEnd(messages: readonly Message[]): number {
  return lastHandoffAt(messages) + 1;
}

/** Where the last exchange starts; past the end where that is an earlier handoff. */
export function lastStart(messages: readonly Message[]): number {
  return Math.max(exchangesOf(messages).at(-1)?.start ?? 0, earlierEnd(messages));
}

/** Where the results begin that the model has not answered to yet, with their calls; past the end where it has read all. */
export function unreadStart(messages: readonly Message[]): number {
  const last = messages.findLastIndex((message) => message.role === "assistant" || isHandoff(message));
  return last >= 0 && callsOf(messages[last]!).length > 0 ? last : messages.length;
}

export type RewrittenMessages = Pick<ResultShape, "messages" | "evicted">;

/** Everything before `start` gives way to the handoff; the rest stays, in the form given. */
export function summarisedTo(start: number, rung: number, { messages, evicted }: RewrittenMessages): Candidate {
  return { shape: { rung, messages, evicted, headEnd: 0, tailStart: start } };
}

/** What a pass works with in a compaction. */
export function passContext({ request, focus }: CompactionRun): Omit<PassContext, "protect"> {
  return { measure: request.measure, hash: request.chain.hash, focus };
}

/** The order of what it costs the reader: thinking first, then media, results by the given pass, and arguments last. */
export function shortenedBy(results: Pass): Pass {
  return inSequence([stripReasoning, evictMedia, results, shrinkArguments]);
}

const toDigests = shortenedBy(digestResults);

export function unchangedMessages({ original }: CompactionRun): RewrittenMessages {
  return { messages: original.messages, evicted: [] };
}

/** All but the protected messages and the live request as digests. */
export function digested(
  run: CompactionRun,
  isProtected: (at: number) => boolean,
  pass: Pass = toDigests,
): RewrittenMessages {
  const protect = (at: number): boolean => at === run.live || isProtected(at);
  return pass(run.original.messages, { ...passContext(run), protect });
}

/** The tail that starts there as a skeleton. */
export function skeletonTail(
  { original: { messages }, request, live }: CompactionRun,
  start: number,
): RewrittenMessages {
  const [earlier, tail] = [messages.slice(0, start), messages.slice(start)];
  const bare = skeletonOf(tail, { first: start, live, hash: request.chain.hash, earlier });
  return { messages: [...earlier, ...bare.messages], evicted: bare.evicted };
}

export interface TailLadder {
  /** Where the tail of the policy starts, and what is never summarised. */
  readonly start: number;
  readonly last: number;
  /** The numbers of the five rungs. */
  readonly rungs: readonly [whole: number, digested: number, last: number, lastDigested: number, skeleton: number];
  /** What the rung may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
  /** Put back beside the whole tail. */
  readonly restored?: readonly Message[];
}

/**
 * A summary and ever less beside it: the tail whole; as digests, but for what is never summarised; nothing but that, up to
 * what a request may weigh; that as digests, too; its skeleton.
 */
export function* tailLadder(run: CompactionRun, ladder: TailLadder): Generator<Candidate> {
  const { start, last, rungs, unreadTokens, restored } = ladder;
  const whole = unchangedMessages(run);
  yield { ...summarisedTo(start, rungs[0], whole), ...(restored === undefined ? {} : { restored }) };
  if (start < last)
    yield summarisedTo(
      start,
      rungs[1],
      digested(run, (at) => at < start || at >= last),
    );
  yield { ...summarisedTo(last, rungs[2], whole), limitTokens: unreadTokens, handoffTokensMin: HANDOFF_TOKENS_MIN };
  yield summarisedTo(
    last,
    rungs[3],
    digested(run, (at) => at < last),
  );
  yield summarisedTo(last, rungs[4], skeletonTail(run, last));
}
