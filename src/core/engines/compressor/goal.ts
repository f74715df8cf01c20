/**
 * What a compaction aims for: how large the result may be and how head, handoff and tail share it. Without a budget
 * the documented figures hold; an explicit budget overrides their minimums and is shared out by measured quality.
 */
import { TAIL_MESSAGES_MIN, tailOf, type TailBudget } from "../../compaction/run/boundaries.ts";
import type { SizeGoal } from "../../compaction/run/goal.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { handoffBudget, type Limits } from "./limits.ts";
import type { CompressorSettings } from "./settings.ts";

export interface CompressorGoal extends SizeGoal {
  /**
   * Messages protected at the start. The head is kept to the byte up to `headTokensMax`. Above, its results are pruned, and
   * where it is above `prunedHeadTokensMax` even so, it is given up.
   */
  readonly headMessages: number;
  readonly headTokensMax: number;
  readonly prunedHeadTokensMax: number;
  readonly tail: TailBudget;
  /** An explicit budget is there to be used: digests without a handoff beside them would leave it empty. */
  readonly wantsHandoff: boolean;
}

/** Shares of an explicit budget, after system, tools and the live request. */
const BUDGET_TAIL_SHARE = 0.25;
const BUDGET_HEAD_SHARE = 0.08;
/** Of the threshold: files read in the first exchange would otherwise be sent with every request for the rest of a session. */
const HEAD_SHARE_MAX = 0.1;
/** Where head and tail would leave less, the ladder is climbed: a handoff recalls more a token than digests do. */
const BUDGET_HANDOFF_SHARE_MIN = 0.65;
/** Of the threshold: a handoff below it is too poor while the ladder has rungs left. */
const HANDOFF_THRESHOLD_SHARE_MIN = 0.3;

export function documentedGoal(settings: CompressorSettings, limits: Limits): CompressorGoal {
  return {
    limitTokens: limits.thresholdTokens,
    headMessages: settings.protectFirstN,
    headTokensMax: Math.floor(limits.thresholdTokens * HEAD_SHARE_MAX),
    prunedHeadTokensMax: limits.thresholdTokens - limits.handoffTokensMax - limits.tailTokens,
    tail: {
      tokens: limits.tailTokens,
      ceilingTokens: limits.tailCeilingTokens,
      messages: settings.protectLastN,
      messagesMin: TAIL_MESSAGES_MIN,
    },
    handoffTokens: (replaced) => handoffBudget(replaced, limits),
    wantsHandoff: false,
    handoffTokensMin: Math.min(
      limits.summaryTokensMin,
      Math.floor(limits.thresholdTokens * HANDOFF_THRESHOLD_SHARE_MIN),
    ),
    handoffTokensLeast: leastHandoff,
  };
}

/** `fixedTokens`: system, tools and the live request, which stand whatever happens. */
export function budgetGoal(settings: CompressorSettings, budgetTokens: number, fixedTokens: number): CompressorGoal {
  const room = Math.max(0, budgetTokens - fixedTokens);
  return {
    limitTokens: budgetTokens,
    headMessages: settings.protectFirstN,
    headTokensMax: Math.floor(room * BUDGET_HEAD_SHARE),
    // Of little room the handoff makes more than a head without its results.
    prunedHeadTokensMax: 0,
    tail: tailOf(Math.floor(room * BUDGET_TAIL_SHARE)),
    handoffTokens: () => room,
    wantsHandoff: true,
    handoffTokensMin: Math.max(HANDOFF_TOKENS_MIN, Math.floor(room * BUDGET_HANDOFF_SHARE_MIN)),
    handoffTokensLeast: leastHandoff,
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
