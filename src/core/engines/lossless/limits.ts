/**
 * The settings of `lossless` and the figures that follow from them. Defaults are those of lossless-claw, the engine
 * that the Hermes Agent docs mean by their example `lcm`; what is ours says so.
 */

export interface LosslessSettings {
  /** The model's window in tokens. */
  readonly contextLength: number;
  /** Output tokens a request reserves inside the window. */
  readonly maxOutputTokens: number;
  /** Share of the usable window above which a compaction is due. */
  readonly contextThreshold: number;
  /** The newest messages that stay as they are, while they fit `freshTailMaxTokens`. */
  readonly freshTailCount: number;
  readonly freshTailMaxTokens: number;
  /** Tokens of the conversation that one leaf stands for, at most. */
  readonly leafChunkTokens: number;
  readonly leafTargetTokens: number;
  readonly condensedTargetTokens: number;
  /** Messages that are worth a leaf, however few their tokens. */
  readonly leafMinFanout: number;
  /** Nodes of one depth that become one; fewer only where nothing else is left to condense. */
  readonly condensedMinFanout: number;
  readonly condensedMinFanoutHard: number;
}

export const LOSSLESS_DEFAULTS: LosslessSettings = {
  contextLength: 200_000,
  maxOutputTokens: 0,
  contextThreshold: 0.75,
  freshTailCount: 64,
  freshTailMaxTokens: 24_000,
  leafChunkTokens: 20_000,
  leafTargetTokens: 2_400,
  condensedTargetTokens: 2_000,
  leafMinFanout: 8,
  condensedMinFanout: 4,
  condensedMinFanoutHard: 2,
};

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
