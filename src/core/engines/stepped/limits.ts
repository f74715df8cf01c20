/** The figures that follow from the settings of `stepped` (IA al Día 2026; `current`: OpenCode 1.18). */
import type { Figure } from "../figure.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import {
  acceptedTokensOf,
  goalWithin,
  handoffTokensMax,
  limitOf,
  unreadLimitOf,
  type SizeGoal,
} from "../../compaction/run/goal.ts";
import { resultTokensMax, roomIn, thresholdSet, triggerIn, type Room } from "../room.ts";
import { STEPPED_DEFAULTS, type SteppedSettings } from "./settings.ts";

/** Of the window, where the output that a request reserves is not known. */
const MARGIN_WINDOW_SHARE = 0.1;
/** Hiding is worth it only above that many tokens (IA al Día 2026). */
const HIDE_TOKENS_MIN = 20_000;
/** Today's tail. */
const TAIL_TOKENS = { max: 15_000, min: 2_000, share: 0.25 } as const;

export interface SteppedLimits extends Room {
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** Hiding alone is enough where its result weighs no more. */
  readonly hiddenTokens: number;
  /** A result with a summary should not weigh more. */
  readonly resultTokens: number;
  readonly hideTokensMin: number;
  readonly protectedTokens: number;
  readonly protectedTurns: number;
  /** Of the newest messages, beside a summary; 0 for none but what the model has not read. */
  readonly tailTokens: number;
  readonly handoffTokens: number;
}

/** The token limits that follow from the settings of `stepped`. */
export function steppedLimits(given: Partial<SteppedSettings>, fixedTokens = 0): SteppedLimits {
  const settings = { ...STEPPED_DEFAULTS, ...given };
  const { contextLength, maxOutputTokens, preset } = settings;
  const room = roomIn(settings, fixedTokens);
  const { usableTokens: usable } = room;
  const beside = Math.max(0, usable - fixedTokens);
  const margin = Math.min(settings.marginTokens, maxOutputTokens > 0 ? maxOutputTokens : usable * MARGIN_WINDOW_SHARE);
  const isCurrent = preset === "current";
  // Today's release takes the reserved output for margin enough.
  const tokens = usable - (isCurrent && maxOutputTokens > 0 ? 0 : Math.min(margin, usable / 2));
  const own = triggerIn(room, tokens, usable);
  const trigger = thresholdSet(settings, room) ?? own;
  const most = resultTokensMax(room, trigger);
  const tail = Math.min(TAIL_TOKENS.max, Math.max(TAIL_TOKENS.min, Math.floor(beside * TAIL_TOKENS.share)));
  return {
    ...room,
    triggerTokens: trigger,
    hiddenTokens: Math.max(0, Math.min(most, trigger - (settings.hideTokensMin ?? HIDE_TOKENS_MIN))),
    resultTokens: Math.min(fixedTokens + Math.floor(beside * settings.resultShare), most),
    hideTokensMin: settings.hideTokensMin ?? (isCurrent ? Infinity : HIDE_TOKENS_MIN),
    protectedTokens: settings.protectedTokens,
    protectedTurns: settings.protectedTurns,
    tailTokens: settings.tailTokens ?? (isCurrent ? tail : 0),
    handoffTokens: handoffTokensMax(contextLength, fixedTokens),
  };
}

/** What each step may leave. */
export interface SteppedGoal extends SizeGoal {
  readonly hiddenTokens: number;
  readonly tailTokens: number;
  /** What a result may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
}

export function goalOf(limits: SteppedLimits, run: CompactionRun): SteppedGoal {
  const limitTokens = limitOf(run, limits.resultTokens, limits);
  const { besideTokens } = run;
  const { budget } = run.request;
  const { handoffTokens, tailTokens } = limits;
  const share = Math.floor(Math.max(0, limitTokens - besideTokens) * TAIL_TOKENS.share);
  return {
    ...goalWithin({ limitTokens, besideTokens, handoffTokens, budgeted: budget !== undefined }),
    acceptedTokens: acceptedTokensOf(run, limits, limits.triggerTokens),
    unreadTokens: unreadLimitOf(run, limits),
    hiddenTokens: limitOf(run, limits.hiddenTokens, limits),
    tailTokens: budget === undefined ? tailTokens : Math.min(tailTokens, share),
  };
}

export function steppedFigures(settings: Partial<SteppedSettings>): readonly Figure[] {
  const limits = steppedLimits(settings);
  const { hiddenTokens, hideTokensMin } = limits;
  const hiding = { meaning: "hiding results is enough at or below this", from: ["marginTokens", "hideTokensMin"] };
  return [
    { name: "threshold", tokens: limits.triggerTokens, meaning: "compacts from here on", from: ["marginTokens"] },
    ...(Number.isFinite(hideTokensMin) ? [{ name: "hidden", tokens: hiddenTokens, ...hiding }] : []),
    { name: "result", tokens: limits.resultTokens, meaning: "target size of a result", from: ["resultShare"] },
    { name: "summary_max", tokens: limits.handoffTokens, meaning: "5 % of the window, at most 12,000", from: [] },
    { name: "tail", tokens: limits.tailTokens, meaning: "verbatim next to a summary", from: ["tailTokens"] },
  ];
}
