/**
 * The figures that follow from the settings of `lossless`, after lossless-claw, the engine that the Hermes Agent docs mean
 * by their example `lcm`; what is ours says so.
 */
import type { LosslessSettings } from "./settings.ts";

/** A compaction ends this far below what triggers it: the original's headroom of a fifth. */
const HEADROOM_TRIGGER_SHARE = 0.8;
/** Of the trigger, what all summaries together may take: the original's derived target. */
const SUMMARIES_TRIGGER_SHARE = 0.5;
/** Of the usable window; keeps the proportions in windows where lossless-claw's figures would fill it (ours). */
const TAIL_WINDOW_SHARE_MAX = 0.25;
const LEAF_WINDOW_SHARE_MAX = 0.25;

export interface LosslessLimits {
  /** A compaction is due above it. */
  readonly triggerTokens: number;
  /** A compaction ends at or below it. */
  readonly aimTokens: number;
  readonly summariesTokens: number;
  readonly tailTokens: number;
  readonly leafChunkTokens: number;
  readonly leafTokens: number;
}

export function losslessLimits(settings: LosslessSettings): LosslessLimits {
  const usable = Math.max(1, settings.contextLength - settings.maxOutputTokens);
  const trigger = Math.floor(usable * settings.contextThreshold);
  const chunk = Math.max(1, Math.floor(Math.min(settings.leafChunkTokens, usable * LEAF_WINDOW_SHARE_MAX)));
  const derived = Math.min(settings.leafChunkTokens, Math.floor(trigger * SUMMARIES_TRIGGER_SHARE));
  return {
    triggerTokens: trigger,
    aimTokens: Math.floor(trigger * HEADROOM_TRIGGER_SHARE),
    summariesTokens: Math.max(settings.condensedTargetTokens, derived),
    tailTokens: Math.floor(Math.min(settings.freshTailMaxTokens, usable * TAIL_WINDOW_SHARE_MAX)),
    leafChunkTokens: chunk,
    leafTokens: Math.floor((settings.leafTargetTokens * chunk) / settings.leafChunkTokens),
  };
}
