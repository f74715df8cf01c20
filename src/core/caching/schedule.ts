/**
 * When a compaction is worth its price. A rewritten prompt is written to the cache anew; every later request then reads
 * less. All amounts are in tokens of input at full price, so that prices come in as shares of it.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Transcript } from "../transcript/message.ts";

/** What a provider charges, as shares of its price for input. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
  readonly output: number;
}

/** A conversation at the moment of deciding. */
export interface Occasion {
  readonly prices: CachePrices;
  /** What would be sent now, a standing compaction in place. */
  readonly transcript: Transcript;
  readonly measure: Measure;
  /** Tokens of it, as well as they are known. */
  readonly tokens: number;
  /** What a compaction is expected to leave. */
  readonly afterTokens: number;
  /** Of that, what stands before everything that changes: system prompt, tools, head. */
  readonly stableTokens: number;
  /** Nothing was asked for longer than the cache lives. */
  readonly cold: boolean;
  /** A compaction stands already. */
  readonly compacted: boolean;
  /** Answers of the model in the whole conversation, also those that a compaction took out of sight. */
  readonly turns: number;
}

export interface Verdict {
  readonly compact: boolean;
  /** For the report: the amounts behind it. */
  readonly because: string;
}

/** A session that ends with the request of its first compaction may have cost this share more than one without any. */
const LOSS_SHARE_MAX = 0.02;

/** A rewrite at the threshold leaves no more than this share: where the prompt itself is large, little can go. */
const THRESHOLD_LEFT_MAX = 0.8;
/** One before need leaves less, or two of them would follow one another. */
const LEFT_MAX = 0.6;

/** How a session went on so far is how it will: what is expected of it, and no more than this. */
const TURNS_AHEAD_MAX = 200;

/** What has been spent, and what the requests since the last rewrite read beyond what a rewrite leaves. */
interface Course {
  /** Of the whole conversation, requests told by the model's turns. */
  readonly spent: number;
  /** Requests larger than what a rewrite leaves: those since the last one. */
  readonly turnsSince: number;
  readonly excess: number;
}

/**
 * The documented threshold has been passed. It is not heeded while a rewrite would leave almost all, or while the first
 * compaction of a session would leave it dearer than none, should it end now; the window's own limit is no matter of price
 * and is not asked here.
 */
export function atThreshold(occasion: Occasion): Verdict {
  const { tokens, afterTokens, compacted } = occasion;
  if (afterTokens > tokens * THRESHOLD_LEFT_MAX) return { compact: false, because: leftText(occasion) };
  const loss = lossNow(occasion);
  if (compacted || loss <= 0) return { compact: true, because: lossText(loss) };
  const { spent } = courseOf(occasion);
  const compact = loss <= LOSS_SHARE_MAX * spent;
  return { compact, because: `${lossText(loss)}, of ${round(spent)} spent so far` };
}

/**
 * The moment that costs least: when one more request without a rewrite reads more above what a rewrite leaves than a
 * request cost on average since the last one, the rewrite's own price included; and when the session is likely to go on
 * long enough for it to pay.
 */
export function atLeastCost(occasion: Occasion): Verdict {
  const { prices, tokens, afterTokens, compacted, turns } = occasion;
  if (afterTokens > tokens * LEFT_MAX) return { compact: false, because: leftText(occasion) };
  const loss = lossNow(occasion);
  if (loss <= 0) return { compact: true, because: `the cache is cold: a rewrite saves ${round(-loss)} at once` };
  const { spent, turnsSince, excess } = courseOf(occasion);
  const saving = prices.read * (tokens - afterTokens);
  const ahead = Math.min(turns, TURNS_AHEAD_MAX);
  const due = saving * Math.max(1, turnsSince) >= loss + excess;
  const pays = saving * ahead >= loss;
  const affordable = compacted || loss <= LOSS_SHARE_MAX * spent;
  const because = `${lossText(loss)} and saves ${round(saving)} a request; ${turnsSince} requests since the last read ${round(excess)} more than they had to; about ${ahead} more are expected`;
  return { compact: due && pays && affordable, because };
}

/** What the very next request costs more with a rewrite than without one; negative where it costs less. */
function lossNow({ prices: { read, write }, tokens, afterTokens, stableTokens, cold }: Occasion): number {
  if (cold) return write * (afterTokens - tokens);
  return write * (afterTokens - stableTokens) - read * (tokens - stableTokens);
}

/** Each turn of the model was a request that read what stood before it, and wrote what was new. */
function courseOf({ prices, transcript, measure, afterTokens }: Occasion): Course {
  const { read, write, output } = prices;
  let tokens = measure.transcript({ ...transcript, messages: [] });
  let known = 0;
  let spent = 0;
  let turnsSince = 0;
  let excess = 0;
  for (const message of transcript.messages) {
    const weight = measure.message(message);
    if (message.role === "assistant") {
      spent += read * known + write * (tokens - known) + output * weight;
      known = tokens;
      if (tokens > afterTokens) {
        turnsSince++;
        excess += read * (tokens - afterTokens);
      }
    }
    tokens += weight;
  }
  // The request that is about to be sent, without a rewrite.
  return { spent: spent + read * known + write * (tokens - known), turnsSince, excess };
}

function leftText({ tokens, afterTokens }: Occasion): string {
  return `a rewrite would leave ${round(afterTokens)} of ${round(tokens)} tokens`;
}

function lossText(loss: number): string {
  return loss > 0 ? `a rewrite costs ${round(loss)} tokens' worth of input now` : "a rewrite costs nothing now";
}

function round(amount: number): string {
  return Math.round(amount).toLocaleString("en-US");
}
