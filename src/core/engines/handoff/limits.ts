/** The figures that follow from the settings of `handoff` (IA al Día 2026; `current`: Codex CLI 0.169). */
import type { Figure } from "../figure.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { goalWithin, handoffTokensMax, limitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import { HANDOFF_DEFAULTS, type HandoffSettings } from "./settings.ts";

/** Beside the provider's own item, today. */
const CURRENT_REMOTE_USER_TOKENS = 64_000;
/** Of an explicit budget beside system and tools: what a person wrote and what the handoff says share it. */
const BUDGET_USER_SHARE = 0.5;

export interface HandoffLimits {
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** A result should not weigh more. */
  readonly resultTokens: number;
  readonly userTokens: number;
  readonly remoteUserTokens: number;
  /** The most that a handoff weighs where no budget gives it more. */
  readonly handoffTokens: number;
}

export function handoffLimits(given: Partial<HandoffSettings>): HandoffLimits {
  const settings = { ...HANDOFF_DEFAULTS, ...given };
  const { contextLength, maxOutputTokens, triggerTokens, preset, userTokens, remoteUserTokens } = settings;
  const usable = Math.max(1, contextLength - maxOutputTokens);
  const share = Math.floor(usable * settings.triggerShare);
  return {
    triggerTokens: triggerTokens > 0 ? Math.min(triggerTokens, share) : share,
    resultTokens: Math.floor(usable * settings.resultShare),
    userTokens,
    remoteUserTokens: remoteUserTokens ?? (preset === "current" ? CURRENT_REMOTE_USER_TOKENS : userTokens),
    handoffTokens: handoffTokensMax(contextLength),
  };
}

/** How one compaction shares out what its result may weigh. */
export interface HandoffGoal extends SizeGoal {
  readonly userTokens: number;
  /** Results that the model has not read yet stay where they are. */
  readonly keepsUnread: boolean;
}

export function goalOf(
  { preset }: HandoffSettings,
  { resultTokens, triggerTokens, userTokens, handoffTokens }: HandoffLimits,
  { request, before, besideTokens }: CompactionRun,
): HandoffGoal {
  const limitTokens = limitOf(request, resultTokens, before);
  const { budget } = request;
  const share = Math.floor(Math.max(0, limitTokens - besideTokens) * BUDGET_USER_SHARE);
  return {
    ...goalWithin({ limitTokens, besideTokens, handoffTokens, budgeted: budget !== undefined }),
    acceptedTokens: budget ?? triggerTokens - 1,
    userTokens: budget === undefined ? userTokens : Math.min(userTokens, share),
    keepsUnread: preset !== "current",
  };
}

export function handoffFigures(settings: Partial<HandoffSettings>): readonly Figure[] {
  const { triggerTokens, resultTokens, userTokens, handoffTokens } = handoffLimits(settings);
  const trigger = ["triggerShare", "triggerTokens"];
  return [
    { name: "threshold", tokens: triggerTokens, meaning: "compacts from here on", from: trigger },
    { name: "result", tokens: resultTokens, meaning: "target size of a result", from: ["resultShare"] },
    {
      name: "user_messages",
      tokens: userTokens,
      meaning: "the user's newest messages, verbatim",
      from: ["userTokens"],
    },
    { name: "summary_max", tokens: handoffTokens, meaning: "5 % of the window, at most 12,000", from: [] },
  ];
}
