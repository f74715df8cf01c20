/** Every figure that follows from the default engine's settings; asserted for windows from 32K to 1M. */
import { momentsIn, triggerIn, type Figure, type Room } from "../room.ts";
import type { CompressorSettings } from "../settings.ts";
import type { Candidate, CompactionRun, SizeGoal, SizeLimits } from "../../compaction/plan.ts";
import {
  digested,
  earlierEnd,
  findHeadEnd,
  lastStart,
  passContext,
  shortenedBy,
  skeletonTail,
  tailOf,
  tailStart,
  unchangedMessages,
  type RewrittenMessages,
  type TailBudget,
} from "../../compaction/tails.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { digestResultsWith } from "../../passes/digest-results.ts";
import { inSequence } from "../../passes/pass.ts";
import { replaceDuplicatesWhere } from "../../passes/replace-duplicates.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";

/** The tail may exceed its budget by this factor to keep an exchange whole (Zhang 2026, section 8). */
const TAIL_CEILING_FACTOR = 1.5;
const SUMMARY_CONTENT_SHARE = 0.2;
const SUMMARY_WINDOW_SHARE = 0.05;
const SUMMARY_TOKENS_MIN = 2_000;
const SUMMARY_TOKENS_MAX = 12_000;
/**
 * The documented figures are those of one model's answer. What code records is less dense and lives through every
 * compaction that follows, so in a small window, where they come to little, the handoff may have more.
 */
const RECORD_CONTENT_SHARE = 0.4;
const RECORD_THRESHOLD_SHARE = 0.3;
const RECORD_TOKENS_MAX = 9_000;
/** Files read in the first exchange would otherwise be sent with every request for the rest of a session. */
const HEAD_SHARE_MAX = 0.1;

/** Hermes Agent in November 2026: three quarters of a window under 512,000, where half of it thrashed; never above 256,000. */
const CURRENT_THRESHOLD = 0.75;
const CURRENT_THRESHOLD_LARGE = 0.5;
const CURRENT_LARGE_WINDOW_TOKENS = 512_000;
const CURRENT_THRESHOLD_TOKENS_MAX = 256_000;
const CURRENT_FLOOR_TOKENS = 64_000;
/** Its lean tail: a share of the window, between two bounds. */
const LEAN_TAIL_WINDOW_SHARE = 0.025;
const LEAN_TAIL_TOKENS_MIN = 10_000;
const LEAN_TAIL_TOKENS_MAX = 25_000;
/** In a window so small that the lower bound would be most of it. */
const LEAN_TAIL_THRESHOLD_SHARE_MAX = 0.4;

function leanTail(contextLength: number, roomTokens: number): number {
  const lean = Math.min(Math.max(contextLength * LEAN_TAIL_WINDOW_SHARE, LEAN_TAIL_TOKENS_MIN), LEAN_TAIL_TOKENS_MAX);
  return Math.min(lean, roomTokens * LEAN_TAIL_THRESHOLD_SHARE_MAX);
}

/** Messages of the head: today's release gives it up after the first compaction, whose handoff has it. */
export function headMessages({ preset, protectFirstN }: CompressorSettings, compactions: number): number {
  return preset === "current" && compactions > 0 ? 0 : protectFirstN;
}

export interface Limits extends Room {
  readonly thresholdTokens: number;
  /** What a result may weigh. */
  readonly resultTokens: number;
  readonly headTokens: number;
  readonly tailTokens: number;
  readonly tailCeilingTokens: number;
  readonly summaryTokensMin: number;
  readonly summaryTokensMax: number;
  /** What a summary and all that code records beside it may take together, however little the window gives a summary. */
  readonly recordTokensMax: number;
  /** The greater of the two. */
  readonly handoffTokensMax: number;
}

/** However much is to stay, the rest is for the handoff. */
const KEPT_SHARE_MAX = 0.5;

/** The token limits that follow from the settings of `compressor`; each size is a share of what is left beside the fixed part. */
export function limitsOf(settings: CompressorSettings, fixedTokens = 0): Limits {
  const { contextLength, targetRatio, keepRecentTokens, preset } = settings;
  const isCurrent = preset === "current";
  const {
    room,
    triggerTokens,
    mostTokens,
    besideTokens: beside,
  } = momentsIn(settings, fixedTokens, (within) => triggerIn(within, documentedThreshold(settings)));
  const windowBeside = Math.max(0, contextLength - fixedTokens);
  const own = isCurrent ? leanTail(contextLength, beside) : beside * targetRatio;
  const tail = Math.floor(keepRecentTokens === undefined ? own : Math.min(keepRecentTokens, beside * KEPT_SHARE_MAX));
  const summaryMax = Math.floor(Math.min(windowBeside * SUMMARY_WINDOW_SHARE, SUMMARY_TOKENS_MAX));
  const recordMax = Math.floor(Math.min(beside * RECORD_THRESHOLD_SHARE, RECORD_TOKENS_MAX));
  return {
    ...room,
    thresholdTokens: triggerTokens,
    resultTokens: mostTokens,
    headTokens: Math.floor(beside * HEAD_SHARE_MAX),
    tailTokens: tail,
    tailCeilingTokens: Math.floor(tail * TAIL_CEILING_FACTOR),
    summaryTokensMin: Math.min(SUMMARY_TOKENS_MIN, summaryMax),
    summaryTokensMax: summaryMax,
    recordTokensMax: recordMax,
    handoffTokensMax: Math.max(summaryMax, recordMax),
  };
}

/** A share of the window, raised to the floor. */
function documentedThreshold({ contextLength, preset, threshold, thresholdFloorTokens }: CompressorSettings): number {
  if (preset !== "current") return Math.max(threshold * contextLength, thresholdFloorTokens);
  const share = contextLength < CURRENT_LARGE_WINDOW_TOKENS ? CURRENT_THRESHOLD : CURRENT_THRESHOLD_LARGE;
  return Math.max(Math.min(share * contextLength, CURRENT_THRESHOLD_TOKENS_MAX), CURRENT_FLOOR_TOKENS);
}

/** Tokens for a summary: a fifth of what it replaces, within the limits, and never more than that content itself. */
export function summaryBudget(contentTokens: number, limits: Limits): number {
  const budget = Math.max(
    limits.summaryTokensMin,
    Math.min(Math.floor(contentTokens * SUMMARY_CONTENT_SHARE), limits.summaryTokensMax),
  );
  return Math.min(budget, contentTokens);
}

/** Tokens for the whole handoff, in which a summary by a model is one part. */
export function handoffBudget(contentTokens: number, limits: Limits): number {
  const recorded = Math.min(Math.floor(contentTokens * RECORD_CONTENT_SHARE), limits.recordTokensMax);
  return Math.max(summaryBudget(contentTokens, limits), recorded);
}

export function compressorFigures(settings: CompressorSettings): readonly Figure[] {
  const limits = limitsOf(settings);
  const threshold = ["threshold"];
  const tail = ["targetRatio", ...threshold];
  return [
    { name: "threshold", tokens: limits.thresholdTokens, meaning: thresholdRule(settings, limits), from: threshold },
    { name: "tail", tokens: limits.tailTokens, meaning: "target_ratio × threshold, verbatim", from: tail },
    { name: "ceiling", tokens: limits.tailCeilingTokens, meaning: "1.5 × tail, for a whole exchange", from: tail },
    { name: "summary_min", tokens: limits.summaryTokensMin, meaning: "even when little is replaced", from: [] },
    { name: "summary_max", tokens: limits.summaryTokensMax, meaning: "5 % of the window, at most 12,000", from: [] },
    {
      name: "handoff_max",
      tokens: limits.handoffTokensMax,
      meaning: "30 % of the threshold, at most 9,000, if more",
      from: [],
    },
  ];
}

function thresholdRule({ threshold, contextLength, thresholdFloorTokens }: CompressorSettings, limits: Limits): string {
  const share = Math.floor(threshold * contextLength);
  if (limits.thresholdTokens < Math.max(share, thresholdFloorTokens)) return "compacts here, held at 85 % of usable";
  if (limits.thresholdTokens > share) return "compacts here, raised to the floor";
  return "compacts here: threshold × window";
}

export interface DocumentedGoal extends SizeGoal, SizeLimits {
  readonly acceptedTokens: number;
  readonly roomTokens?: undefined;
  /**
   * Messages protected at the start. The head is kept to the byte up to `headTokensMax`. Above, its results are pruned, and
   * where it is above `prunedHeadTokensMax` even so, it is given up.
   */
  readonly headMessages: number;
  readonly headTokensMax: number;
  readonly prunedHeadTokensMax: number;
  readonly tail: TailBudget;
}

/** From this rung on, recent exchanges that the documented policy would keep are given up. */
export const RUNG_DEGRADED = 2;
/** What the model has not read yet becomes digests. */
export const RUNG_PRUNED = 3;
export const RUNG_LAST = 4;
/** How often the tail's budget is halved before only the last exchange is left. */
const HALVINGS_MAX = 4;

/** The rungs of a compaction without an explicit budget. */
export function* climbRungs(run: CompactionRun, goal: DocumentedGoal): Generator<Candidate> {
  const { messages } = run.original;
  const { measure } = run.request;
  const exchanges = exchangesOf(messages);
  // An earlier handoff is always replaced: it is merged into the new one, and never part of head or tail.
  const earlier = earlierEnd(messages);
  const { head, opening } = planHead(run, goal, earlier);
  const planned = tailStart(messages, { from: Math.max(head, earlier), budget: goal.tail, measure });
  const last = lastStart(messages);
  const rung = (number: number, rewritten: RewrittenMessages, from = planned): Candidate => ({
    shape: { rung: number, ...rewritten, headEnd: number < RUNG_DEGRADED ? head : 0, tailStart: from },
    ...(number === RUNG_LAST ? { handoffTokensMin: HANDOFF_TOKENS_MIN } : {}),
  });

  yield rung(0, withoutDuplicates(run, opening, { start: planned, end: last }));
  const isSummarised = (at: number): boolean => at >= head && at < planned;
  const read = pruned(run, { isSummarised, isProtected: (at) => at >= last });
  const shorter = (tail: RewrittenMessages, halving: number): number =>
    tailStart(tail.messages, {
      from: earlier,
      budget: tailOf(goal.tail.tokens / 2 ** halving),
      measure,
      exchanges,
    });
  yield rung(1, read);
  for (let halving = 1; halving <= HALVINGS_MAX; halving++) yield rung(RUNG_DEGRADED, read, shorter(read, halving));
  // What the model has not read yet stays whole as long as any handoff has room beside it.
  yield { ...rung(RUNG_DEGRADED, read, last), limitTokens: goal.unreadTokens, handoffTokensMin: HANDOFF_TOKENS_MIN };
  const all = pruned(run, { isSummarised });
  for (let halving = 0; halving <= HALVINGS_MAX; halving++) yield rung(RUNG_PRUNED, all, shorter(all, halving));
  yield rung(RUNG_LAST, skeletonTail(run, last), last);
}

interface Head {
  /** Where the head ends; 0 where it is given up. */
  readonly head: number;
  /** The conversation, the head in the form that it is kept in. */
  readonly opening: RewrittenMessages;
}

/** The head stays as it is while it is small; with heavy results, which are pruned as old ones are (Zhang 2026, section 6); or not at all. */
function planHead(run: CompactionRun, goal: DocumentedGoal, earlier: number): Head {
  const { messages } = run.original;
  const end = findHeadEnd(messages, goal.headMessages, earlier === 0 ? messages.length : earlier - 1);
  const weigh = (some: readonly Message[]): number => run.request.measure.messages(some.slice(0, end));
  const whole = unchangedMessages(run);
  if (weigh(messages) <= goal.headTokensMax) return { head: end, opening: whole };
  const light = pruned(run, { isSummarised: (at) => at >= end });
  return weigh(light.messages) <= goal.prunedHeadTokensMax
    ? { head: end, opening: light }
    : { head: 0, opening: whole };
}

/** Results up to this length stay as they are. */
const PRUNED_CHARS_MIN = 200;

interface PruneRange {
  /** Messages (by index) that give way to the handoff; nothing may refer to them. */
  readonly isSummarised: (at: number) => boolean;
  /** Messages that stay as they are. */
  readonly isProtected?: (at: number) => boolean;
}

/** The conversation with all that stays of it and is not protected in its shortest form. */
export function pruned(run: CompactionRun, { isSummarised, isProtected = () => false }: PruneRange): RewrittenMessages {
  const results = inSequence([
    replaceDuplicatesWhere((at) => !isSummarised(at)),
    digestResultsWith({ triggerChars: PRUNED_CHARS_MIN }),
  ]);
  return digested(run, (at) => isSummarised(at) || isProtected(at), shortenedBy(results));
}

/** The same conversation with references in place of the older copies between `start` and `end`, the rest of it unchanged. */
export function withoutDuplicates(
  run: CompactionRun,
  { messages, evicted }: RewrittenMessages,
  { start, end }: { readonly start: number; readonly end: number },
): RewrittenMessages {
  const protect = (at: number): boolean => at < start || at >= end || at === run.live;
  const single = replaceDuplicatesWhere((at) => at >= start)(messages, { ...passContext(run), protect });
  return { messages: single.messages, evicted: [...evicted, ...single.evicted] };
}
