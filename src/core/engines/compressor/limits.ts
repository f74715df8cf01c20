/** Every figure that follows from the default engine's settings; asserted for windows from 32K to 1M. */
import { momentsIn, triggerIn, type Figure, type Room } from "../room.ts";
import type { CompressorSettings } from "../settings.ts";

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
const RECORD_THRESHOLD_SHARE = 0.2;
const RECORD_TOKENS_MAX = 6_000;
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
      meaning: "20 % of the threshold, at most 6,000, if more",
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
