/**
 * What is done when digests are not enough (Dual Compression chapter, 16.7): everything outside the zone to its
 * minimum; then the oldest of that left out; then a restart from a short summary. Each step is tried only after the
 * one before did not do.
 */
import {
  digested,
  lastStart,
  shortenedBy,
  skeletonTail,
  unchangedMessages,
  type RewrittenMessages,
} from "../../compaction/tails.ts";
import type { Candidate, CompactionRun } from "../../compaction/plan.ts";
import { digestResultsWith } from "../../passes/digest-results.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";

export interface Zone {
  /** Index after the first assistant message: the first request and its answer come before it. */
  readonly firstEnd: number;
  /** The same, moved to where an exchange ends; nothing before it is ever left out but by a restart. */
  readonly headEnd: number;
  /** Where the recent part starts; the last exchange always belongs to it. */
  readonly recentStart: number;
  /** Index after a handoff that is among the messages; 0 without one. */
  readonly earlierEnd: number;
}

const RUNG_AGGRESSIVE = 1;
export const RUNG_TRUNCATED = 2;
export const RUNG_RESTARTED = 3;
const RUNG_SKELETON = 4;

/** A digest by the aggressive step is as short as digests get. */
const DIGEST_TOKENS_MIN = 60;
/** The chapter's limit on the answer of its summarizer. */
export const SUMMARY_TOKENS_MAX = 500;

export interface FallbackRoom {
  readonly roomTokens: number;
  /** In all, where it shows in full what the model has not read yet. */
  readonly unreadTokens: number;
}

export function* fallbackSteps(
  run: CompactionRun,
  zone: Zone,
  { roomTokens, unreadTokens }: FallbackRoom,
): Generator<Candidate> {
  const { firstEnd, headEnd, recentStart, earlierEnd } = zone;
  const last = lastStart(run.original.messages);

  const least = digested(run, (at) => at < firstEnd || at >= recentStart, toLeast);
  yield step(RUNG_AGGRESSIVE, least, { headEnd: 0, tailStart: 0, recordTokens: 0 });

  const headTokens = run.request.measure.messages(least.messages.slice(0, headEnd));
  const takenTokens = headTokens + HANDOFF_TOKENS_MIN;
  const middle = { headEnd, from: Math.max(headEnd, earlierEnd), to: recentStart, takenTokens, roomTokens };
  const cut = oldestThatFits(run, least.messages, middle);
  if (cut > headEnd) yield step(RUNG_TRUNCATED, least, { headEnd, tailStart: cut, recordTokens: HANDOFF_TOKENS_MIN });

  const restart = { headEnd: 0, recordTokens: SUMMARY_TOKENS_MAX };
  const from = Math.max(recentStart, earlierEnd);
  if (from <= last) yield step(RUNG_RESTARTED, unchangedMessages(run), { ...restart, tailStart: from });
  const recent = { headEnd: 0, from, to: last, takenTokens: SUMMARY_TOKENS_MAX, roomTokens };
  const startIn = ({ messages }: RewrittenMessages): number => oldestThatFits(run, messages, recent);
  const read = digested(run, (at) => at >= last, toLeast);
  yield step(RUNG_RESTARTED, read, { ...restart, tailStart: startIn(read) });
  yield { ...step(RUNG_RESTARTED, read, { ...restart, tailStart: last }), limitTokens: unreadTokens };
  const all = digested(run, () => false, toLeast);
  yield step(RUNG_RESTARTED, all, { ...restart, tailStart: startIn(all) });
  yield step(RUNG_SKELETON, skeletonTail(run, last), { ...restart, tailStart: last });
}

interface StepRange {
  readonly headEnd: number;
  readonly tailStart: number;
  /** The most that is written in place of what the step leaves out. */
  readonly recordTokens: number;
}

function step(rung: number, rewritten: RewrittenMessages, { recordTokens, ...place }: StepRange): Candidate {
  return { shape: { rung, ...rewritten, ...place }, handoffTokens: () => recordTokens };
}

const toLeast = shortenedBy(digestResultsWith({ triggerTokens: DIGEST_TOKENS_MIN, targetTokens: DIGEST_TOKENS_MIN }));

interface MessageRange {
  /** What comes before it is kept. */
  readonly headEnd: number;
  readonly from: number;
  readonly to: number;
  /** What comes before the cut, in tokens. */
  readonly takenTokens: number;
  readonly roomTokens: number;
}

/** The first boundary between exchanges from which on the messages fit; the last of the stretch where none does. */
function oldestThatFits(
  { live, original, request: { measure } }: CompactionRun,
  messages: readonly Message[],
  { headEnd, from, to, takenTokens, roomTokens }: MessageRange,
): number {
  const anchor = messages[live];
  const anchorTokens = anchor === undefined ? 0 : measure.message(anchor);
  let tokens = measure.messages(messages.slice(from));
  let at = from;
  for (const { start, end } of exchangesOf(original.messages)) {
    if (start < from || end > to) continue;
    if (takenTokens + tokens + (live >= headEnd && live < start ? anchorTokens : 0) <= roomTokens) break;
    tokens -= measure.messages(messages.slice(start, end));
    at = end;
  }
  return at;
}
