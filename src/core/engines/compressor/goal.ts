/**
 * What a compaction aims for: how large the result may be and how head, handoff and tail share it. Without a budget
 * the documented figures hold; an explicit budget overrides their minimums and is shared out by `budgetLayout`.
 */
import { TAIL_MESSAGES_MIN, type TailBudget } from "../../compaction/run/boundaries.ts";
import { acceptedTokensOf, limitOf, unreadLimitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { handoffBudget, type Limits } from "./limits.ts";
import type { CompressorSettings } from "./settings.ts";

export type CompressorGoal = DocumentedGoal | BudgetGoal;

export interface BudgetGoal extends SizeGoal {
  readonly headMessages: number;
  /** What the budget leaves beside system, tools and the live request. */
  readonly roomTokens: number;
}

export interface DocumentedGoal extends SizeGoal {
  readonly roomTokens?: undefined;
  /** What a result may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
  /**
   * Messages protected at the start. The head is kept to the byte up to `headTokensMax`. Above, its results are pruned, and
   * where it is above `prunedHeadTokensMax` even so, it is given up.
   */
  readonly headMessages: number;
  readonly headTokensMax: number;
  readonly prunedHeadTokensMax: number;
  readonly tail: TailBudget;
}

/** Of what a result may weigh beside system and tools: a handoff below it is too poor while the ladder has rungs left. */
const HANDOFF_ROOM_SHARE_MIN = 0.3;

export function documentedGoal(settings: CompressorSettings, limits: Limits, run: CompactionRun): DocumentedGoal {
  const limitTokens = limitOf(run, limits.resultTokens, limits);
  const room = Math.max(0, limitTokens - run.besideTokens);
  return {
    limitTokens,
    acceptedTokens: acceptedTokensOf(run, limits, limits.thresholdTokens),
    unreadTokens: unreadLimitOf(run, limits),
    headMessages: settings.protectFirstN,
    headTokensMax: limits.headTokens,
    prunedHeadTokensMax: room - limits.handoffTokensMax - limits.tailTokens,
    tail: {
      tokens: limits.tailTokens,
      ceilingTokens: limits.tailCeilingTokens,
      messages: settings.protectLastN,
      messagesMin: TAIL_MESSAGES_MIN,
    },
    handoffTokens: (replaced) => handoffBudget(replaced, limits),
    handoffTokensMin: Math.min(limits.summaryTokensMin, Math.floor(room * HANDOFF_ROOM_SHARE_MIN)),
    handoffTokensLeast: leastHandoff,
  };
}

/**
 * `fixedTokens`: system, tools and the live request, which are in every result. Where they leave too little, the result is the
 * smallest one: with a larger handoff it would tell more than one within a slightly larger budget.
 */
export function budgetGoal(settings: CompressorSettings, budgetTokens: number, fixedTokens: number): BudgetGoal {
  const roomTokens = Math.max(0, budgetTokens - fixedTokens);
  return {
    limitTokens: budgetTokens,
    headMessages: settings.protectFirstN,
    roomTokens,
    handoffTokens: () => roomTokens,
    handoffTokensMin: HANDOFF_TOKENS_MIN,
  };
}

/** What cannot be made small enough should at least be of use: a tenth of what it replaces, within bounds. */
const BEYOND_LIMIT_SHARE = 0.1;
const BEYOND_LIMIT_TOKENS_MAX = 600;

/** The handoff is given at least that much, whether the limit can be kept or not. */
function leastHandoff(roomTokens: number, replacedTokens: number): number {
  if (roomTokens >= HANDOFF_TOKENS_MIN) return HANDOFF_TOKENS_MIN;
  const useful = Math.min(BEYOND_LIMIT_TOKENS_MAX, Math.floor(replacedTokens * BEYOND_LIMIT_SHARE));
  return Math.max(HANDOFF_TOKENS_MIN, useful);
}
