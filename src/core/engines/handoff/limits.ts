/** The settings of `handoff` and the figures that follow from them (IA al Día 2026; `current`: Codex CLI 0.169). */
import type { Preset } from "../compressor/limits.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { goalWithin, handoffTokensMax, limitOf, type SizeGoal } from "../../compaction/run/goal.ts";

export interface HandoffSettings {
  /** The model's window in tokens. */
  readonly contextLength: number;
  /** Output tokens a request reserves inside the window. */
  readonly maxOutputTokens: number;
  /** A trigger below that of the window, in tokens; 0 is none. */
  readonly triggerTokens: number;
  /**
   * `documented`: IA al Día 2026, and results that the model has not read yet stay. `current`: as Codex does it today,
   * all but a person's messages goes, and the provider's own compaction leaves more of these.
   */
  readonly preset: Preset;
}

export const HANDOFF_DEFAULTS: HandoffSettings = {
  contextLength: 200_000,
  maxOutputTokens: 0,
  triggerTokens: 0,
  preset: "documented",
};

/** 180,000 to 244,000 tokens, says IA al Día 2026: nine tenths of windows of 200,000 and 272,000. */
const TRIGGER_WINDOW_SHARE = 0.9;
/** A person's newest messages that stay word for word, in tokens. */
const USER_TOKENS = 20_000;
/** Beside the provider's own item, today. */
const CURRENT_REMOTE_USER_TOKENS = 64_000;
/** A result heavier than this is cut from its head: one just below the trigger would be compacted again at the next turn. */
const RESULT_WINDOW_SHARE = 0.5;
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

export function handoffLimits(settings: HandoffSettings): HandoffLimits {
  const { contextLength, maxOutputTokens, triggerTokens, preset } = settings;
  const usable = Math.max(1, contextLength - maxOutputTokens);
  const share = Math.floor(usable * TRIGGER_WINDOW_SHARE);
  return {
    triggerTokens: triggerTokens > 0 ? Math.min(triggerTokens, share) : share,
    resultTokens: Math.floor(usable * RESULT_WINDOW_SHARE),
    userTokens: USER_TOKENS,
    remoteUserTokens: preset === "current" ? CURRENT_REMOTE_USER_TOKENS : USER_TOKENS,
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
