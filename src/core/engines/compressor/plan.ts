/**
 * What a compaction aims for: how large the result may be and how head, handoff and tail share it. Without a budget
 * the documented figures hold; an explicit budget overrides their minimums and is shared out by measured quality.
 */
import type { TailBudget } from "../result/boundaries.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { summaryBudget, type CompressorSettings, type Limits } from "./limits.ts";
import { TAIL_MESSAGES_MIN } from "../result/boundaries.ts";

export interface Plan {
  /** The whole result must not exceed this, in tokens. */
  readonly limitTokens: number;
  /** Messages protected at the start; the head is given up where it weighs more than `headTokensMax`. */
  readonly headMessages: number;
  readonly headTokensMax: number;
  readonly tail: TailBudget;
  /** The handoff's share, given what it replaces. */
  readonly handoffTokens: (replacedTokens: number) => number;
  /** An explicit budget is there to be used: digests without a handoff beside them would leave it empty. */
  readonly wantsHandoff: boolean;
  /** A rung of the ladder is good enough when it leaves this much for the handoff. */
  readonly handoffTokensMin: number;
}

/** Shares of an explicit budget, after system, tools and the live request; `npm run eval` measures what they cost. */
const BUDGET_TAIL_SHARE = 0.25;
const BUDGET_HEAD_SHARE = 0.08;
/** Where head and tail would leave less, the ladder is climbed: a handoff recalls more a token than digests do. */
const BUDGET_HANDOFF_SHARE_MIN = 0.65;
/** Of the threshold: a handoff below it is too poor while the ladder has rungs left. */
const HANDOFF_THRESHOLD_SHARE_MIN = 0.3;

export function documentedPlan(settings: CompressorSettings, limits: Limits): Plan {
  return {
    limitTokens: limits.thresholdTokens,
    headMessages: settings.protectFirstN,
    headTokensMax: limits.thresholdTokens - limits.summaryTokensMax - limits.tailTokens,
    tail: {
      tokens: limits.tailTokens,
      ceilingTokens: limits.tailCeilingTokens,
      messages: settings.protectLastN,
      messagesMin: TAIL_MESSAGES_MIN,
    },
    handoffTokens: (replaced) => summaryBudget(replaced, limits),
    wantsHandoff: false,
    handoffTokensMin: Math.min(
      limits.summaryTokensMin,
      Math.floor(limits.thresholdTokens * HANDOFF_THRESHOLD_SHARE_MIN),
    ),
  };
}

/** `fixedTokens`: system, tools and the live request, which stand whatever happens. */
export function budgetPlan(settings: CompressorSettings, budgetTokens: number, fixedTokens: number): Plan {
  const room = Math.max(0, budgetTokens - fixedTokens);
  const tail = Math.floor(room * BUDGET_TAIL_SHARE);
  return {
    limitTokens: budgetTokens,
    headMessages: settings.protectFirstN,
    headTokensMax: Math.floor(room * BUDGET_HEAD_SHARE),
    tail: { tokens: tail, ceilingTokens: tail, messages: 0, messagesMin: 0 },
    handoffTokens: () => room,
    wantsHandoff: true,
    handoffTokensMin: Math.max(HANDOFF_TOKENS_MIN, Math.floor(room * BUDGET_HANDOFF_SHARE_MIN)),
  };
}
