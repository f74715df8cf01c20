/**
 * What is done when digests are not enough (Dual Compression chapter, 16.7): everything outside the zone to its
 * minimum; then the oldest of that left out; then a restart from a short summary. Each step is tried only after the
 * one before did not do.
 */
import { digestResultsWith } from "../../passes/digest-results.ts";
import { evictMedia } from "../../passes/evict-media.ts";
import type { PassContext, PassResult } from "../../passes/pass.ts";
import { inSequence } from "../../passes/sequence.ts";
import { shrinkArguments } from "../../passes/shrink-arguments.ts";
import { stripReasoning } from "../../passes/strip-reasoning.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import type { Message } from "../../transcript/message.ts";
import type { Shape } from "../result/assemble.ts";
import { skeletonOf } from "../result/skeleton.ts";
import type { Zone } from "./zone.ts";

/** A shape with the most that is written in place of what it leaves out, in tokens. */
export interface Step extends Shape {
  readonly recordTokens: number;
}

const RUNG_AGGRESSIVE = 1;
export const RUNG_TRUNCATED = 2;
export const RUNG_RESTARTED = 3;
const RUNG_SKELETON = 4;

/** A digest by the aggressive step is as short as digests get. */
const DIGEST_TOKENS_MIN = 60;
/** The chapter's limit on the answer of its summarizer. */
const SUMMARY_TOKENS_MAX = 500;

export interface FallbackInput {
  readonly messages: readonly Message[];
  readonly zone: Zone;
  /** Index of the live request, which no step touches. */
  readonly live: number;
  /** Tokens for the messages of the result. */
  readonly roomTokens: number;
  readonly context: Omit<PassContext, "protect">;
}

export function* fallbackSteps(input: FallbackInput): Generator<Step> {
  const { messages, zone, live, context } = input;
  const { firstEnd, headEnd, recentStart, lastStart, earlierEnd } = zone;

  const least = toMinimum(input, (at) => at < firstEnd || at >= recentStart);
  yield { rung: RUNG_AGGRESSIVE, ...least, headEnd: 0, tailStart: 0, recordTokens: 0 };

  const headTokens = context.measure.messages(least.messages.slice(0, headEnd));
  const takenTokens = headTokens + HANDOFF_TOKENS_MIN;
  const behind = { headEnd, from: Math.max(headEnd, earlierEnd), to: recentStart, takenTokens };
  const cut = oldestThatFits(input, least.messages, behind);
  if (cut > headEnd)
    yield { rung: RUNG_TRUNCATED, ...least, headEnd, tailStart: cut, recordTokens: HANDOFF_TOKENS_MIN };

  const restart = { rung: RUNG_RESTARTED, headEnd: 0, recordTokens: SUMMARY_TOKENS_MAX };
  const from = Math.max(recentStart, earlierEnd);
  if (from <= lastStart) yield { ...restart, messages, evicted: [], tailStart: from };
  const all = toMinimum(input, () => false);
  const recent = { headEnd: 0, from, to: lastStart, takenTokens: SUMMARY_TOKENS_MAX };
  yield { ...restart, ...all, tailStart: oldestThatFits(input, all.messages, recent) };

  const bare = skeletonOf(messages.slice(lastStart), { first: lastStart, live, hash: context.hash });
  const skeleton = [...messages.slice(0, lastStart), ...bare.messages];
  yield { ...restart, rung: RUNG_SKELETON, messages: skeleton, evicted: bare.evicted, tailStart: lastStart };
}

const toLeast = inSequence([
  stripReasoning,
  evictMedia,
  digestResultsWith({ triggerTokens: DIGEST_TOKENS_MIN, targetTokens: DIGEST_TOKENS_MIN }),
  shrinkArguments,
]);

function toMinimum(
  { messages, live, context }: FallbackInput,
  protect: (at: number) => boolean,
): Pick<PassResult, "messages" | "evicted"> {
  return toLeast(messages, { ...context, protect: (at) => at === live || protect(at) });
}

interface Stretch {
  /** What stands before it is kept. */
  readonly headEnd: number;
  readonly from: number;
  readonly to: number;
  /** What stands before the cut, in tokens. */
  readonly takenTokens: number;
}

/** The first boundary between exchanges from which on the messages fit; the last of the stretch where none does. */
function oldestThatFits(
  { zone, live, roomTokens, context: { measure } }: FallbackInput,
  messages: readonly Message[],
  { headEnd, from, to, takenTokens }: Stretch,
): number {
  const anchor = messages[live];
  const anchorTokens = anchor === undefined ? 0 : measure.message(anchor);
  let tokens = measure.messages(messages.slice(from));
  let at = from;
  for (const { start, end } of zone.exchanges) {
    if (start < from || end > to) continue;
    if (takenTokens + tokens + (live >= headEnd && live < start ? anchorTokens : 0) <= roomTokens) break;
    tokens -= measure.messages(messages.slice(start, end));
    at = end;
  }
  return at;
}
