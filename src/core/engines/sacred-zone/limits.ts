/** The figures that follow from the settings of `sacred-zone` (Dual Compression chapter, 16.2 and 16.3). */
import type { Figure } from "../figure.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { acceptedTokensOf, limitOf, unreadLimitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import type { Message } from "../../transcript/message.ts";
import { resultTokensMax, roomIn, thresholdSet, triggerIn, type Room } from "../room.ts";
import { SACRED_ZONE_DEFAULTS, type SacredZoneSettings } from "./settings.ts";
import { workloadFactor } from "./workload.ts";

/** In the chapter's window of 100K the recent part is this share of the target; in smaller ones it keeps the share. */
const RECENT_TARGET_SHARE_MAX = 0.4;

export interface SacredZoneLimits extends Room {
  /** A compaction is due above it. */
  readonly triggerTokens: number;
  /** A compaction ends at or below it. */
  readonly targetTokens: number;
}

export function sacredZoneLimits(given: Partial<SacredZoneSettings>, fixedTokens = 0): SacredZoneLimits {
  const settings = { ...SACRED_ZONE_DEFAULTS, ...given };
  const { contextLength, triggerShare, targetShare } = settings;
  const room = roomIn(settings, fixedTokens);
  const own = triggerIn(room, triggerShare * contextLength);
  const trigger = thresholdSet(settings, room) ?? own;
  const target = fixedTokens + Math.floor((Math.max(0, trigger - fixedTokens) * targetShare) / triggerShare);
  return { ...room, triggerTokens: trigger, targetTokens: Math.min(target, resultTokensMax(room, trigger)) };
}

export interface SacredZoneGoal extends SizeGoal {
  /** The newest tokens that are sacred. */
  readonly recentTokens: number;
  /** What a result may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
}

export function goalOf(settings: SacredZoneSettings, limits: SacredZoneLimits, run: CompactionRun): SacredZoneGoal {
  const limitTokens = limitOf(run, limits.targetTokens, limits);
  return {
    limitTokens,
    acceptedTokens: acceptedTokensOf(run, limits, limits.triggerTokens),
    unreadTokens: unreadLimitOf(run, limits),
    recentTokens: recentTokensOf(settings, limitTokens - run.besideTokens, run.original.messages),
    // Each candidate says how long the record of what it leaves out may be.
    handoffTokens: () => 0,
    handoffTokensMin: 0,
  };
}

/** Tokens of the recent part, where a result has that many beside system and tools. */
export function recentTokensOf(
  { zone, recentTokens }: SacredZoneSettings,
  roomTokens: number,
  messages: readonly Message[],
): number {
  const factor = zone === "adaptive" ? workloadFactor(messages) : 1;
  return Math.floor(Math.min(recentTokens * factor, Math.max(0, roomTokens) * RECENT_TARGET_SHARE_MAX));
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
