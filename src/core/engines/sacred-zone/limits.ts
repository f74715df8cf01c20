/** The settings of `sacred-zone` and the figures that follow from them (Dual Compression chapter, 16.2 and 16.3). */
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
/** What a provider refused is halved, where our own count finds nothing wrong with it. */
const REFUSED_SHARE = 0.5;

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

/** What a compaction aims at: the budget where there is one, else the target; below what was refused in any case. */
export function aimOf(
  { targetTokens }: SacredZoneLimits,
  { budget, reason }: { readonly budget?: number; readonly reason: string },
  standingTokens: number,
): number {
  if (budget !== undefined) return budget;
  return reason === "overflow" ? Math.min(targetTokens, Math.floor(standingTokens * REFUSED_SHARE)) : targetTokens;
}

/** Tokens of the recent part, for a result of so many. */
export function recentTokensOf(settings: SacredZoneSettings, aimTokens: number, messages: readonly Message[]): number {
  const factor = settings.zone === "adaptive" ? workloadFactor(messages) : 1;
  return Math.floor(Math.min(settings.recentTokens * factor, aimTokens * RECENT_TARGET_SHARE_MAX));
}
