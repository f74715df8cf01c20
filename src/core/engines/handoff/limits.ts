/** The figures that follow from the settings of `handoff` (IA al Día 2026; `current`: Codex CLI 0.169). */
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
import { HANDOFF_DEFAULTS, type HandoffSettings } from "./settings.ts";

/** What Codex keeps of a person's messages today, and what it keeps beside the provider's own item. */
const CURRENT_USER_TOKENS = 20_000;
const CURRENT_REMOTE_USER_TOKENS = 64_000;
/** A result that keeps every message of a person may weigh as much more than another, as this is more than half. */
const WHOLE_RESULT_FACTOR = 1.5;

export interface HandoffLimits extends Room {
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
export function handoffLimits(given: Partial<HandoffSettings>, fixedTokens = 0): HandoffLimits {
  const settings = { ...HANDOFF_DEFAULTS, ...given };
  const { contextLength, preset, remoteUserTokens, triggerShare, resultShare } = settings;
  const isCurrent = preset === "current";
  const userTokens = settings.userTokens ?? (isCurrent ? CURRENT_USER_TOKENS : Infinity);
  const room = roomIn(settings, fixedTokens);
  const trigger = thresholdSet(settings, room) ?? ownTrigger(settings, room);
  const most = resultTokensMax(room, trigger);
  const result = Math.max(0, trigger - fixedTokens) * (resultShare / triggerShare);
  const within = (tokens: number): number => Math.floor(Math.min(fixedTokens + tokens, most));
  return {
    ...room,
    triggerTokens: trigger,
    resultTokens: within(result),
    wholeResultTokens: within(isCurrent ? result : result * WHOLE_RESULT_FACTOR),
    userTokens,
    remoteUserTokens: remoteUserTokens ?? (isCurrent ? CURRENT_REMOTE_USER_TOKENS : userTokens),
    handoffTokens: handoffTokensMax(contextLength, fixedTokens),
  };
}

/** A share of the window, which may be later than the limit, or so many tokens where that is earlier. */
function ownTrigger({ contextLength, triggerShare, triggerTokens }: HandoffSettings, room: Room): number {
  const latestTokens = Math.max(room.limitTokens, triggerShare * room.usableTokens);
  const shareTokens = triggerIn(room, triggerShare * contextLength, latestTokens);
  return triggerTokens > 0 ? Math.min(triggerTokens, shareTokens) : shareTokens;
}

/** How one compaction shares out what its result may weigh. */
export interface HandoffGoal extends SizeGoal {
  readonly userTokens: number;
  /** The most that a handoff weighs where no budget gives it more. */
  readonly handoffTokensMax: number;
  /** What a result may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
  /** What the result may weigh as long as nothing of that has to go. */
  readonly wholeTokens: number;
  /** Results that the model has not read yet stay where they are. */
  readonly keepsUnread: boolean;
}

export function goalOf({ preset }: HandoffSettings, limits: HandoffLimits, run: CompactionRun): HandoffGoal {
  const { resultTokens, wholeResultTokens, userTokens, handoffTokens } = limits;
  const { besideTokens } = run;
  const limitTokens = limitOf(run, resultTokens, limits);
  const { budget } = run.request;
  return {
    ...goalWithin({ limitTokens, besideTokens, handoffTokens, budgeted: budget !== undefined }),
    acceptedTokens: acceptedTokensOf(run, limits, limits.triggerTokens),
    unreadTokens: unreadLimitOf(run, limits),
    userTokens,
    handoffTokensMax: handoffTokens,
    wholeTokens: limitOf(run, wholeResultTokens, limits),
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
