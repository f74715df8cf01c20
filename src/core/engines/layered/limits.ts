/** The figures that follow from the settings of `layered` (IA al Día 2026; observed in Claude Code 2.1). */
import type { Figure } from "../figure.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { acceptedTokensOf, limitOf, unreadLimitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { resultTokensMax, roomIn, thresholdSet, triggerIn, type Room } from "../room.ts";
import { LAYERED_DEFAULTS, type LayeredSettings } from "./settings.ts";

/** In a window under 66,000 what is reserved and the margin would leave less than half of it; there the trigger is half. */
const TRIGGER_SHARE_MIN = 0.5;
/** A result above this share of the trigger would be compacted again after a few turns. */
const ENOUGH_TRIGGER_SHARE = 0.8;
/** What is reserved for the summary it may take; in smaller windows, the share that it is in 200,000. */
const SUMMARY_WINDOW_SHARE = 0.1;
/** The same of what is put back, and of the tail. */
const RESTORED_WINDOW_SHARE = 0.25;
const TAIL_WINDOW_SHARE = 0.05;

export interface LayeredLimits extends Room {
  /** The window less what is reserved for output. */
  readonly effectiveTokens: number;
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** A result is small enough up to here. */
  readonly enoughTokens: number;
  readonly summaryTokens: number;
  readonly restoredTokens: number;
  readonly tailTokens: number;
  readonly keptResults: number;
  readonly restoredFiles: number;
  readonly restoredFileTokens: number;
  readonly failuresMax: number;
}

/** The token limits that follow from the settings of `layered`. */
export function layeredLimits(given: Partial<LayeredSettings>, fixedTokens = 0): LayeredLimits {
  const settings = { ...LAYERED_DEFAULTS, ...given };
  const { contextLength, maxOutputTokens, reservedTokens } = settings;
  const { keptResults, restoredFiles, restoredFileTokens, failuresMax } = settings;
  const room = roomIn(settings, fixedTokens);
  const { usableTokens } = room;
  const effective = Math.max(1, Math.min(usableTokens, contextLength - Math.max(reservedTokens, maxOutputTokens)));
  const tokens = Math.max(effective - settings.triggerMarginTokens, usableTokens * TRIGGER_SHARE_MIN);
  const own = triggerIn(room, tokens, usableTokens);
  const trigger = thresholdSet(settings, room) ?? own;
  const enough = fixedTokens + Math.floor(Math.max(0, trigger - fixedTokens) * ENOUGH_TRIGGER_SHARE);
  const beside = Math.max(0, contextLength - fixedTokens);
  const within = (most: number, share: number): number => Math.floor(Math.min(most, beside * share));
  return {
    ...room,
    effectiveTokens: effective,
    triggerTokens: trigger,
    enoughTokens: Math.min(enough, resultTokensMax(room, trigger)),
    summaryTokens: within(reservedTokens, SUMMARY_WINDOW_SHARE),
    restoredTokens: within(settings.restoredTokens, RESTORED_WINDOW_SHARE),
    tailTokens: within(settings.tailTokens, TAIL_WINDOW_SHARE),
    keptResults,
    restoredFiles,
    restoredFileTokens,
    failuresMax,
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
  /** What a result may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
}

export function goalOf(limits: LayeredLimits, run: CompactionRun): LayeredGoal {
  const { request, fixedTokens, besideTokens } = run;
  const limitTokens = limitOf(run, limits.enoughTokens, limits);
  const room = Math.max(0, limitTokens - fixedTokens);
  const explicit = request.budget !== undefined;
  const share = (most: number, of: number): number => Math.floor(Math.min(most, room * of));
  return {
    limitTokens,
    acceptedTokens: acceptedTokensOf(run, limits, limits.triggerTokens),
    unreadTokens: unreadLimitOf(run, limits),
    tailTokens: share(explicit ? Infinity : limits.tailTokens, TAIL_SHARE_MAX),
    restoredTokens: share(limits.restoredTokens, explicit ? RESTORED_BUDGET_SHARE_MAX : RESTORED_SHARE_MAX),
    handoffTokens: (replaced) =>
      explicit ? room : Math.min(limits.summaryTokens, Math.ceil(replaced * SUMMARY_CONTENT_SHARE)),
    handoffTokensMin: Math.max(HANDOFF_TOKENS_MIN, Math.floor((limitTokens - besideTokens) * HANDOFF_SHARE_MIN)),
  };
}

export function layeredFigures(settings: Partial<LayeredSettings>): readonly Figure[] {
  const { triggerTokens, enoughTokens, summaryTokens, restoredTokens, tailTokens } = layeredLimits(settings);
  const trigger = ["reservedTokens", "triggerMarginTokens"];
  return [
    { name: "threshold", tokens: triggerTokens, meaning: "compacts from here on", from: trigger },
    { name: "target", tokens: enoughTokens, meaning: "0.8 of that: the target size of a result", from: trigger },
    { name: "restored", tokens: restoredTokens, meaning: "restored, at most", from: ["restoredTokens"] },
    { name: "summary_max", tokens: summaryTokens, meaning: "the summary", from: ["reservedTokens"] },
    { name: "tail", tokens: tailTokens, meaning: "verbatim behind a summary", from: ["tailTokens"] },
  ];
}
