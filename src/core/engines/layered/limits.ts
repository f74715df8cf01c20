/** The settings of `layered` and the figures that follow from them (IA al Día 2026; observed in Claude Code 2.1). */
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { limitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";

export interface LayeredSettings {
  /** The model's window in tokens. */
  readonly contextLength: number;
  /** Output tokens a request reserves inside the window. */
  readonly maxOutputTokens: number;
}

export const LAYERED_DEFAULTS: LayeredSettings = { contextLength: 200_000, maxOutputTokens: 0 };

/** What the effective window leaves for a summary to be written (observed in Claude Code 2.1). */
const RESERVED_TOKENS = 20_000;
/** Below the effective window (IA al Día 2026). */
const TRIGGER_MARGIN_TOKENS = 13_000;
/** In a window under 66,000 these two would leave less than half of it; there the trigger is half. */
const TRIGGER_WINDOW_SHARE_MIN = 0.5;
/** A result above this share of the trigger would be compacted again after a few turns. */
const ENOUGH_TRIGGER_SHARE = 0.8;
/** What is reserved for the summary is what it may take; in smaller windows, the share that it is in 200,000. */
const SUMMARY_WINDOW_SHARE = 0.1;
/** All that is restored (IA al Día 2026); in smaller windows, the share that it is in 200,000. */
const RESTORED_TOKENS_MAX = 50_000;
const RESTORED_WINDOW_SHARE = 0.25;
/** The short verbatim tail of Claude Code 2.1; the figure is ours. */
const TAIL_TOKENS = 10_000;
const TAIL_WINDOW_SHARE = 0.05;

export interface LayeredLimits {
  /** The window less what is reserved for output. */
  readonly effectiveTokens: number;
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** A result is small enough up to here. */
  readonly enoughTokens: number;
  readonly summaryTokens: number;
  readonly restoredTokens: number;
  readonly tailTokens: number;
}

export function layeredLimits({ contextLength, maxOutputTokens }: LayeredSettings): LayeredLimits {
  const effective = Math.max(1, contextLength - Math.max(RESERVED_TOKENS, maxOutputTokens));
  const least = Math.floor(Math.max(1, contextLength - maxOutputTokens) * TRIGGER_WINDOW_SHARE_MIN);
  const trigger = Math.max(effective - TRIGGER_MARGIN_TOKENS, least);
  const within = (tokens: number, share: number): number => Math.floor(Math.min(tokens, contextLength * share));
  return {
    effectiveTokens: effective,
    triggerTokens: trigger,
    enoughTokens: Math.floor(trigger * ENOUGH_TRIGGER_SHARE),
    summaryTokens: within(RESERVED_TOKENS, SUMMARY_WINDOW_SHARE),
    restoredTokens: within(RESTORED_TOKENS_MAX, RESTORED_WINDOW_SHARE),
    tailTokens: within(TAIL_TOKENS, TAIL_WINDOW_SHARE),
  };
}

/** Of what it replaces, where no budget says otherwise. */
const SUMMARY_CONTENT_SHARE = 0.25;
/** Of the room for messages, at most: the rest is the summary's. */
const TAIL_SHARE_MAX = 0.2;
const RESTORED_SHARE_MAX = 0.4;
/** A budget is smaller than what the policy takes; lines of the original tell more a token there than whole files. */
const RESTORED_BUDGET_SHARE_MAX = 0.15;

/** A handoff with less of the limit is too poor while there are candidates left. */
const HANDOFF_SHARE_MIN = 0.1;

export interface LayeredGoal extends SizeGoal {
  readonly tailTokens: number;
  readonly restoredTokens: number;
}

export function goalOf(limits: LayeredLimits, { request, before, fixedTokens }: CompactionRun): LayeredGoal {
  const limitTokens = limitOf(request, limits.enoughTokens, before);
  const room = Math.max(0, limitTokens - fixedTokens);
  const explicit = request.budget !== undefined;
  const share = (most: number, of: number): number => Math.floor(Math.min(most, room * of));
  return {
    limitTokens,
    acceptedTokens: request.budget ?? limits.triggerTokens,
    tailTokens: share(explicit ? Infinity : limits.tailTokens, TAIL_SHARE_MAX),
    restoredTokens: share(limits.restoredTokens, explicit ? RESTORED_BUDGET_SHARE_MAX : RESTORED_SHARE_MAX),
    handoffTokens: (replaced) =>
      explicit ? room : Math.min(limits.summaryTokens, Math.ceil(replaced * SUMMARY_CONTENT_SHARE)),
    handoffTokensMin: Math.max(HANDOFF_TOKENS_MIN, Math.floor(limitTokens * HANDOFF_SHARE_MIN)),
  };
}
