/** The figures that follow from the settings of `sacred-zone` (Dual Compression chapter, 16.2 and 16.3). */
import type { Figure } from "../figure.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { limitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import type { Message } from "../../transcript/message.ts";
import { thresholdSet } from "../shared-settings.ts";
import { SACRED_ZONE_DEFAULTS, type SacredZoneSettings } from "./settings.ts";
import { workloadFactor } from "./workload.ts";

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

export function sacredZoneLimits(given: Partial<SacredZoneSettings>): SacredZoneLimits {
  const settings = { ...SACRED_ZONE_DEFAULTS, ...given };
  const { contextLength, maxOutputTokens, triggerShare, targetShare } = settings;
  const usable = Math.max(1, contextLength - maxOutputTokens);
  return {
    usableTokens: usable,
    triggerTokens: thresholdSet(settings) ?? Math.floor(usable * triggerShare),
    targetTokens: Math.floor(usable * targetShare),
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

/** Tokens of the recent part, for a result of that many. */
export function recentTokensOf(
  { zone, recentTokens }: SacredZoneSettings,
  limitTokens: number,
  messages: readonly Message[],
): number {
  const factor = zone === "adaptive" ? workloadFactor(messages) : 1;
  return Math.floor(Math.min(recentTokens * factor, limitTokens * RECENT_TARGET_SHARE_MAX));
}

export function sacredZoneFigures(given: Partial<SacredZoneSettings>): readonly Figure[] {
  const settings = { ...SACRED_ZONE_DEFAULTS, ...given };
  const { triggerTokens, targetTokens } = sacredZoneLimits(settings);
  const recent = Math.floor(Math.min(settings.recentTokens, targetTokens * RECENT_TARGET_SHARE_MAX));
  return [
    { name: "threshold", tokens: triggerTokens, meaning: "compacts above it", from: ["triggerShare"] },
    { name: "target", tokens: targetTokens, meaning: "a compaction ends at or below this", from: ["targetShare"] },
    {
      name: "recent",
      tokens: recent,
      meaning: "the newest messages, unchanged",
      from: ["recentTokens", "targetShare"],
    },
  ];
}
