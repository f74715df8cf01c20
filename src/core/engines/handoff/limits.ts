/** The figures that follow from the settings of `handoff` (IA al Día 2026; `current`: Codex CLI 0.169). */
import type { Figure } from "../figure.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { goalWithin, handoffTokensMax, limitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import { thresholdSet } from "../shared-settings.ts";
import { HANDOFF_DEFAULTS, type HandoffSettings } from "./settings.ts";

/** What Codex keeps of a person's messages today, and what it keeps beside the provider's own item. */
const CURRENT_USER_TOKENS = 20_000;
const CURRENT_REMOTE_USER_TOKENS = 64_000;
/** A result that keeps every message of a person may weigh this share of the window; a session compacts at 85 %. */
const WHOLE_RESULT_SHARE = 0.75;
/** Where messages of a person have to go, the others and the handoff share the room beside system and tools. */
const TRIMMED_USER_SHARE = 0.5;

export interface HandoffLimits {
  /** A compaction is due from here on. */
  readonly triggerTokens: number;
  /** A result should not weigh more. */
  readonly resultTokens: number;
  /** The same for a result that keeps all of a person's messages that are to stay. */
  readonly wholeResultTokens: number;
  /** Of a person's messages, from the newest; no bound where it is infinite. */
  readonly userTokens: number;
  readonly remoteUserTokens: number;
  /** The most that a handoff weighs where no budget gives it more. */
  readonly handoffTokens: number;
}

/** The token limits that follow from the settings of `handoff`. */
export function handoffLimits(given: Partial<HandoffSettings>): HandoffLimits {
  const settings = { ...HANDOFF_DEFAULTS, ...given };
  const { contextLength, maxOutputTokens, triggerTokens, preset, remoteUserTokens } = settings;
  const isCurrent = preset === "current";
  const userTokens = settings.userTokens ?? (isCurrent ? CURRENT_USER_TOKENS : Infinity);
  const usable = Math.max(1, contextLength - maxOutputTokens);
  const share = Math.floor(usable * settings.triggerShare);
  const trigger = thresholdSet(settings) ?? (triggerTokens > 0 ? Math.min(triggerTokens, share) : share);
  const resultTokens = Math.floor(usable * settings.resultShare);
  const whole = Math.min(Math.floor(usable * WHOLE_RESULT_SHARE), trigger - 1);
  return {
    triggerTokens: trigger,
    resultTokens,
    wholeResultTokens: isCurrent ? resultTokens : Math.max(resultTokens, whole),
    userTokens,
    remoteUserTokens: remoteUserTokens ?? (isCurrent ? CURRENT_REMOTE_USER_TOKENS : userTokens),
    handoffTokens: handoffTokensMax(contextLength),
  };
}

/** How one compaction shares out what its result may weigh. */
export interface HandoffGoal extends SizeGoal {
  readonly userTokens: number;
  /** What is left of that where some of it has to go. */
  readonly trimmedUserTokens: number;
  /** What the result may weigh as long as nothing of that has to go. */
  readonly wholeTokens: number;
  /** Results that the model has not read yet stay where they are. */
  readonly keepsUnread: boolean;
}

export function goalOf(
  { preset }: HandoffSettings,
  { resultTokens, wholeResultTokens, triggerTokens, userTokens, handoffTokens }: HandoffLimits,
  { request, before, besideTokens }: CompactionRun,
): HandoffGoal {
  const limitTokens = limitOf(request, resultTokens, before);
  const { budget } = request;
  const share = Math.floor(Math.max(0, limitTokens - besideTokens) * TRIMMED_USER_SHARE);
  return {
    ...goalWithin({ limitTokens, besideTokens, handoffTokens, budgeted: budget !== undefined }),
    acceptedTokens: budget ?? triggerTokens - 1,
    userTokens,
    trimmedUserTokens: Math.min(userTokens, share),
    wholeTokens: limitOf(request, wholeResultTokens, before),
    keepsUnread: preset !== "current",
  };
}

export function handoffFigures(settings: Partial<HandoffSettings>): readonly Figure[] {
  const { triggerTokens, resultTokens, wholeResultTokens, userTokens, handoffTokens } = handoffLimits(settings);
  const trigger = ["triggerShare", "triggerTokens"];
  return [
    { name: "threshold", tokens: triggerTokens, meaning: "compacts from here on", from: trigger },
    { name: "result", tokens: resultTokens, meaning: "target size of a result", from: ["resultShare"] },
    {
      name: "result_whole",
      tokens: wholeResultTokens,
      meaning: "above this, messages of the user are trimmed",
      from: ["resultShare"],
    },
    ...(userTokens === Infinity
      ? []
      : [
          {
            name: "user_messages",
            tokens: userTokens,
            meaning: "the user's newest messages, verbatim",
            from: ["userTokens"],
          },
        ]),
    { name: "summary_max", tokens: handoffTokens, meaning: "5 % of the window, at most 12,000", from: [] },
  ];
}
