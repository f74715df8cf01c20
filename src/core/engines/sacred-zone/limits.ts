/** The settings of `sacred-zone` and the figures that follow from them (Dual Compression chapter, 16.2 and 16.3). */
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { limitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import type { Message } from "../../transcript/message.ts";
import { workloadFactor } from "./workload.ts";

export interface SacredZoneSettings {
  /** The model's window in tokens. */
  readonly contextLength: number;
  /** Output tokens a request reserves inside the window. */
  readonly maxOutputTokens: number;
  /** The newest tokens that stay as they are. */
  readonly recentTokens: number;
  /** `adaptive`: from half of `recentTokens` to twice as many, by what the agent is at. */
  readonly zone: "fixed" | "adaptive";
}

export const SACRED_ZONE_DEFAULTS: SacredZoneSettings = {
  contextLength: 200_000,
  maxOutputTokens: 0,
  recentTokens: 20_000,
  zone: "fixed",
};

const TRIGGER_WINDOW_SHARE = 0.75;
const TARGET_WINDOW_SHARE = 0.5;
/** In the chapter's window of 100K the recent part is this share of the target; in smaller ones it keeps the share. */
const RECENT_TARGET_SHARE_MAX = 0.4;

export interface SacredZoneLimits {
  /** The window less the requested output. */
  readonly usableTokens: number;
  /** A compaction is due above it. */
  readonly triggerTokens: number;
  /** A compaction ends at or below it. */
  readonly targetTokens: number;
}

export function sacredZoneLimits({ contextLength, maxOutputTokens }: SacredZoneSettings): SacredZoneLimits {
  const usable = Math.max(1, contextLength - maxOutputTokens);
  return {
    usableTokens: usable,
    triggerTokens: Math.floor(usable * TRIGGER_WINDOW_SHARE),
    targetTokens: Math.floor(usable * TARGET_WINDOW_SHARE),
  };
}

export interface SacredZoneGoal extends SizeGoal {
  /** The newest tokens that are sacred. */
  readonly recentTokens: number;
}

export function goalOf(
  settings: SacredZoneSettings,
  { targetTokens }: SacredZoneLimits,
  { original, request, before }: CompactionRun,
): SacredZoneGoal {
  const limitTokens = limitOf(request, targetTokens, before);
  return {
    limitTokens,
    recentTokens: recentTokensOf(settings, limitTokens, original.messages),
    // Each candidate says how long the record of what it leaves out may be.
    handoffTokens: () => 0,
    handoffTokensMin: 0,
  };
}

/** Tokens of the recent part, for a result of so many. */
export function recentTokensOf(
  { zone, recentTokens }: SacredZoneSettings,
  limitTokens: number,
  messages: readonly Message[],
): number {
  const factor = zone === "adaptive" ? workloadFactor(messages) : 1;
  return Math.floor(Math.min(recentTokens * factor, limitTokens * RECENT_TARGET_SHARE_MAX));
}
