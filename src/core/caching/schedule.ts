/**
 * When a compaction is worth its price. A rewritten prompt is written to the cache again; every later request then reads
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
export interface ScheduleQuery {
  readonly prices: CachePrices;
  /** What would be sent now, an active compaction in place. */
  readonly transcript: Transcript;
  readonly measure: Measure;
  /** Tokens of it, as well as they are known. */
  readonly tokens: number;
  /** What a compaction is expected to leave. */
  readonly afterTokens: number;
  /** Of that, what comes before everything that changes: system prompt, tools, head. */
  readonly stableTokens: number;
  /** Nothing was asked for longer than the cache lives. */
  readonly cold: boolean;
  /** A compaction is in effect already. */
  readonly compacted: boolean;
  /** Answers of the model in the whole conversation, also those that a compaction took out of sight. */
  readonly turns: number;
}

export interface ScheduleDecision {
  readonly compact: boolean;
  /** For the report: the amounts behind it. */
  readonly because: string;
}

/** A session that ends with the request of its first compaction may have cost this share more than one without any. */
const LOSS_SHARE_MAX = 0.02;

/** A rewrite leaves no more than this share, or two of them would follow one another. */
const LEFT_MAX = 0.6;

/** How a session went on so far is how it will: what is expected of it, and no more than this. */
const TURNS_AHEAD_MAX = 200;

/** What has been spent, and what the requests since the last rewrite read beyond what a rewrite leaves. */
interface SpendingSoFar {
  /** Of the whole conversation; requests are counted by the model's turns. */
  readonly spent: number;
  /** Requests larger than what a rewrite leaves: those since the last one. */
  readonly turnsSince: number;
  readonly excess: number;
}

/**
 * Whether this is the moment that costs least: reading on has cost as much as a rewrite would, the session is likely to go on
 * long enough for it to pay, and a first compaction would not leave the session more expensive than none, should it end now.
 */
export function atLeastCost(occasion: ScheduleQuery): ScheduleDecision {
  if (occasion.afterTokens > occasion.tokens * LEFT_MAX) return { compact: false, because: leftText(occasion) };
  const { free, due, affordable, loss, saving, text } = accountOf(occasion);
  const ahead = Math.min(occasion.turns, TURNS_AHEAD_MAX);
  const pays = saving * ahead >= loss;
  return {
    compact: free || (due && affordable && pays),
    because: free ? text : `${text}; about ${ahead} more are expected`,
  };
}

interface Account {
  /** What a rewrite costs now. */
  readonly loss: number;
  /** What each later request then costs less. */
  readonly saving: number;
  /** A rewrite costs nothing, as where the cache holds nothing of it. */
  readonly free: boolean;
  /** One more request without a rewrite costs more than requests since the last one did on average, its price included. */
  readonly due: boolean;
  /** Should the session end now, it would not have been more expensive for it by more than is allowed. */
  readonly affordable: boolean;
  readonly text: string;
}

function accountOf(occasion: ScheduleQuery): Account {
  const { prices, tokens, afterTokens, compacted } = occasion;
  const loss = lossNow(occasion);
  const saving = prices.read * (tokens - afterTokens);
  const { spent, turnsSince, excess } = courseOf(occasion);
  const free = loss <= 0;
  return {
    loss,
    saving,
    free,
    due: saving * Math.max(1, turnsSince) >= loss + excess,
    affordable: compacted || loss <= LOSS_SHARE_MAX * spent,
    text: free
      ? `${occasion.cold ? "nothing is cached: " : ""}a rewrite saves ${round(-loss)} tokens' worth of input at once`
      : `a rewrite costs ${round(loss)} tokens' worth of input now and saves ${round(saving)} a request; waiting has cost ${round(excess)} of ${round(spent)} tokens' worth in the ${turnsSince} requests since the last one`,
  };
}

/** What the very next request costs more with a rewrite than without one; negative where it costs less. */
function lossNow({ prices: { read, write }, tokens, afterTokens, stableTokens, cold }: ScheduleQuery): number {
  if (cold) return write * (afterTokens - tokens);
  return write * (afterTokens - stableTokens) - read * (tokens - stableTokens);
}

/** Each turn of the model was a request that read what came before it, and wrote what was new. */
function courseOf({ prices, transcript, measure, afterTokens }: ScheduleQuery): SpendingSoFar {
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

function leftText({ tokens, afterTokens }: Pick<ScheduleQuery, "tokens" | "afterTokens">): string {
  return `a rewrite would leave ${round(afterTokens)} of ${round(tokens)} tokens`;
}

function round(amount: number): string {
  return Math.round(amount).toLocaleString("en-US");
}

/** A conversation that waits for its person, shortly before the provider forgets what it was sent. */
export interface IdleQuery extends Pick<ScheduleQuery, "prices" | "tokens" | "afterTokens" | "turns"> {
  /** What making a compaction costs now: nothing where code writes the handoff. */
  readonly writingCost: number;
}

/** Of the conversations that wait, this share is taken to go on; the others never earn back what the compaction cost. */
const RESUMED_SHARE = 0.5;

/** What follows on a pause is taken to be as long as what came before it, and no longer than this. */
const REQUESTS_AFTER_PAUSE_MAX = 20;

/**
 * Whether a compaction made now is likely to pay once the cache has expired: then a smaller prompt is written to it again, and
 * read by what follows.
 */
export function beforeExpiry({
  prices: { read, write },
  tokens,
  afterTokens,
  turns,
  writingCost,
}: IdleQuery): ScheduleDecision {
  if (afterTokens > tokens * LEFT_MAX) return { compact: false, because: leftText({ tokens, afterTokens }) };
  const saving = (write + read * Math.min(turns, REQUESTS_AFTER_PAUSE_MAX)) * (tokens - afterTokens);
  return {
    compact: saving * RESUMED_SHARE >= writingCost,
    because: `what follows after the cache expires costs ${round(saving)} tokens' worth of input less, for ${round(writingCost)} now`,
  };
}
