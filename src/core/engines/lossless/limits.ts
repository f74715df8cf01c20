/**
 * The figures that follow from the settings of `lossless`, after lossless-claw, the engine that the Hermes Agent docs mean
 * by their example `lcm`; what is ours says so.
 */
import type { Figure } from "../figure.ts";
import { resultTokensMax, roomIn, thresholdSet, triggerIn, type Room } from "../room.ts";
import { LOSSLESS_DEFAULTS, type LosslessSettings } from "./settings.ts";

/** A compaction ends this far below what triggers it: the original's headroom of a fifth. */
const HEADROOM_TRIGGER_SHARE = 0.8;
/** Of the trigger, what all summaries together may take: the original's derived target. */
const SUMMARIES_TRIGGER_SHARE = 0.5;
/** Of what the usable window leaves beside system and tools; keeps the proportions in windows where lossless-claw's figures would fill it (ours). */
const TAIL_WINDOW_SHARE_MAX = 0.25;
const LEAF_WINDOW_SHARE_MAX = 0.25;

export interface LosslessLimits extends Room {
  /** A compaction is due above it. */
  readonly triggerTokens: number;
  /** A compaction ends at or below it. */
  readonly aimTokens: number;
  readonly summariesTokens: number;
  readonly tailTokens: number;
  readonly leafChunkTokens: number;
  readonly leafTokens: number;
}

export function losslessLimits(settings: LosslessSettings, fixedTokens = 0): LosslessLimits {
  const { contextLength, contextThreshold } = settings;
  const room = roomIn(settings, fixedTokens);
  const own = triggerIn(room, contextThreshold * contextLength);
  const trigger = thresholdSet(settings, room) ?? own;
  const beside = Math.max(1, room.usableTokens - fixedTokens);
  const triggerBeside = Math.max(0, trigger - fixedTokens);
  const chunk = Math.max(1, Math.floor(Math.min(settings.leafChunkTokens, beside * LEAF_WINDOW_SHARE_MAX)));
  const derived = Math.min(settings.leafChunkTokens, Math.floor(triggerBeside * SUMMARIES_TRIGGER_SHARE));
  const aim = fixedTokens + Math.floor(triggerBeside * HEADROOM_TRIGGER_SHARE);
  return {
    ...room,
    triggerTokens: trigger,
    aimTokens: Math.min(aim, resultTokensMax(room, trigger)),
    summariesTokens: Math.max(Math.min(settings.condensedTargetTokens, triggerBeside), derived),
    tailTokens: Math.floor(Math.min(settings.freshTailMaxTokens, beside * TAIL_WINDOW_SHARE_MAX)),
    leafChunkTokens: chunk,
    leafTokens: Math.floor((settings.leafTargetTokens * chunk) / settings.leafChunkTokens),
  };
}

export function losslessFigures(given: Partial<LosslessSettings>): readonly Figure[] {
  const limits = losslessLimits({ ...LOSSLESS_DEFAULTS, ...given });
  const trigger = ["contextThreshold"];
  const summaries = ["condensedTargetTokens", "leafChunkTokens", ...trigger];
  return [
    { name: "threshold", tokens: limits.triggerTokens, meaning: "compacts above it", from: trigger },
    { name: "target", tokens: limits.aimTokens, meaning: "0.8 of that: a compaction ends here", from: trigger },
    { name: "tail", tokens: limits.tailTokens, meaning: "the newest messages", from: ["freshTailMaxTokens"] },
    { name: "summaries", tokens: limits.summariesTokens, meaning: "all nodes together", from: summaries },
    { name: "leaf", tokens: limits.leafTokens, meaning: "one leaf", from: ["leafTargetTokens", "leafChunkTokens"] },
  ];
}
