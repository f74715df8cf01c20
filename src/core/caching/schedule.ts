/**
 * When a compaction is worth its price. A rewritten prompt is written to the cache again; every later request then reads
 * less. All amounts are in tokens of input at full price, so that prices come in as shares of it.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Message, Transcript } from "../transcript/message.ts";

/** What a provider charges, as shares of its price for input. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
  readonly output: number;
}

/**
 * When a session is compacted. `auto`: from the threshold on, once that is justified (see `isJustified`). `threshold`: at the
 * threshold, whatever it costs. `cost`: when it costs least, also before the threshold.
 */
export const SCHEDULES = ["auto", "threshold", "cost"] as const;
export type Schedule = (typeof SCHEDULES)[number];

/** A conversation at the moment of deciding. */
export interface ScheduleQuery {
  readonly prices: CachePrices;
  /** The conversation as it would be sent without any compaction. */
  readonly original: Transcript;
  /** What would be sent now, with the last compaction in it. */
  readonly current: Transcript;
  /** Undefined if nothing was compacted yet. */
  readonly last: LastCompaction | undefined;
  readonly measure: Measure;
  /** Tokens of `current`, as well as they are known. */
  readonly tokens: number;
  /** What a compaction is expected to leave. */
  readonly afterTokens: number;
  /** Of that, what the cache still has afterwards: what comes before everything that changes. */
  readonly stableTokens: number;
  /** What making a compaction costs: nothing where code writes the handoff. */
  readonly writingCost: number;
  /** Nothing was asked for longer than the cache lives. */
  readonly cold: boolean;
  /** Answers of the model in the whole conversation. */
  readonly turns: number;
}

/** What the first request after a compaction was. */
export interface LastCompaction extends Pick<ScheduleQuery, "stableTokens" | "writingCost"> {
  /** Messages that its client sent. */
  readonly originalMessages: number;
  /** Messages that were sent instead. */
  readonly currentMessages: number;
}

export interface ScheduleDecision {
  readonly compact: boolean;
  /** For the report: the amounts behind it. */
  readonly because: string;
}

/** At no moment may a session have cost more than this share above what it would have cost without compactions. */
export const REGRET_SHARE_MAX = 0.04;

/** `cost`: a rewrite leaves no more than this share, or two of them would follow one another. */
const LEFT_MAX = 0.6;

/** How a session went on so far is how it will: what is expected of it, and no more than this. */
const TURNS_AHEAD_MAX = 200;

/**
 * Whether a compaction now keeps the bill within its bound, should the session end right after it: what was paid since the last
 * one, that one included, and the price of this one are at most `REGRET_SHARE_MAX` above what the same requests would have cost
 * without compactions. Between two compactions each request costs at most that, so the bound holds at every request.
 */
export function isJustified(query: ScheduleQuery): ScheduleDecision {
  const { free, bounded, loss, paid, without } = computeAccount(query);
  return {
    compact: free || bounded,
    because: free
      ? freeText(query, loss)
      : `a rewrite costs ${round(loss)} tokens' worth of input now; the requests since the last one cost ${round(paid)}, and without compactions they would have cost ${round(without)}`,
  };
}

/**
 * Whether this is the moment that costs least: it is justified, reading on has cost as much as a rewrite would, and the session
 * is likely to go on long enough for it to pay.
 */
export function atLeastCost(query: ScheduleQuery): ScheduleDecision {
  const { prices, tokens, afterTokens, turns } = query;
  if (afterTokens > tokens * LEFT_MAX) return { compact: false, because: leftText(query) };
  const { free, bounded, loss, paid, requests, excess } = computeAccount(query);
  if (free) return { compact: true, because: freeText(query, loss) };
  const saving = prices.read * (tokens - afterTokens);
  // One more request without a rewrite costs more than requests since the last one did on average, its price included.
  const due = saving * Math.max(1, requests) >= loss + excess;
  const ahead = Math.min(turns, TURNS_AHEAD_MAX);
  return {
    compact: due && bounded && saving * ahead >= loss,
    because: `a rewrite costs ${round(loss)} tokens' worth of input now and saves ${round(saving)} a request; waiting has cost ${round(excess)} of ${round(paid)} tokens' worth in the ${requests} requests since the last one; about ${ahead} more are expected`,
  };
}

interface Account extends Pick<Course, "requests" | "excess"> {
  /** What compacting now costs more than sending the request as it is. */
  readonly loss: number;
  /** That is nothing, as where the cache holds nothing. */
  readonly free: boolean;
  /** What was paid since the last compaction, itself and the request that is about to be sent included. */
  readonly paid: number;
  readonly without: number;
  readonly bounded: boolean;
}

function computeAccount(query: ScheduleQuery): Account {
  const { original, current, last } = query;
  const loss = lossNow(query);
  const since = last === undefined ? {} : { from: last.currentMessages, cachedTokens: last.stableTokens };
  const { spent, requests, excess } = addUp(current, query, since);
  const paid = spent + (last?.writingCost ?? 0);
  const without = current === original ? spent : addUp(original, query, { from: last?.originalMessages }).spent;
  const bounded = paid + loss <= (1 + REGRET_SHARE_MAX) * without;
  return { loss, free: loss <= 0, paid, without, bounded, requests, excess };
}

/** What the very next request costs more with a rewrite than without one; negative where it costs less. */
function lossNow({ prices, tokens, afterTokens, stableTokens, cold, writingCost }: ScheduleQuery): number {
  const { read, write } = prices;
  if (cold) return write * (afterTokens - tokens) + writingCost;
  return write * (afterTokens - stableTokens) - read * (tokens - stableTokens) + writingCost;
}

/** Which requests of a transcript are added up: those with at least `from` messages, the first of which found `cachedTokens`. */
interface Stretch {
  readonly from?: number | undefined;
  readonly cachedTokens?: number;
}

interface Course {
  readonly spent: number;
  /** Requests larger than what a rewrite leaves, but for the one that is about to be sent; what they read beyond that. */
  readonly requests: number;
  readonly excess: number;
}

/** Each reply of the model, however many messages it has, was to a request that read what came before it, and wrote what was new; one more is about to be sent. */
function addUp(transcript: Transcript, query: ScheduleQuery, { from = 0, cachedTokens }: Stretch): Course {
  const { prices, measure, afterTokens } = query;
  const { read, write, output } = prices;
  const { messages } = transcript;
  let tokens = measure.transcript({ ...transcript, messages: [] });
  let known = 0;
  let [spent, requests, excess] = [0, 0, 0];
  for (let at = 0; at <= messages.length; at++) {
    const message = messages[at];
    const weight = message === undefined ? 0 : measure.message(message);
    if (at === from && cachedTokens !== undefined) known = cachedTokens;
    if (message === undefined || beginsReply(message, messages[at - 1])) {
      if (at >= from) {
        spent += read * known + write * (tokens - known);
        if (message !== undefined && tokens > afterTokens) {
          requests++;
          excess += read * (tokens - afterTokens);
        }
      }
      known = tokens;
    }
    if (at >= from && message?.role === "assistant") spent += output * weight;
    tokens += weight;
  }
  return { spent, requests, excess };
}

/** A reply may have several messages in a row; each was one request. */
export function countReplies(messages: readonly Message[]): number {
  return messages.filter((message, at) => beginsReply(message, messages[at - 1])).length;
}

function beginsReply({ role }: Message, before: Message | undefined): boolean {
  return role === "assistant" && before?.role !== "assistant";
}

function freeText({ cold }: ScheduleQuery, loss: number): string {
  return `${cold ? "nothing is cached: " : ""}a rewrite saves ${round(-loss)} tokens' worth of input at once`;
}

function leftText({ tokens, afterTokens }: Pick<ScheduleQuery, "tokens" | "afterTokens">): string {
  return `a rewrite would leave ${round(afterTokens)} of ${round(tokens)} tokens`;
}

function round(amount: number): string {
  return Math.round(amount).toLocaleString("en-US");
}
