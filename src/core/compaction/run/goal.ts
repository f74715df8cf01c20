/** What a result may weigh, and how system, handoff and the rest of it share that. */
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { MESSAGE_OVERHEAD_TOKENS } from "./draft.ts";

/** All figures in tokens. */
export interface SizeGoal {
  /** The whole result should not weigh more. */
  readonly limitTokens: number;
  /** Where a heavier result does as well: only above this, not above the limit, is it irreducible. */
  readonly acceptedTokens?: number;
  /** The handoff's share, given what it replaces. */
  readonly handoffTokens: (replacedTokens: number) => number;
  /** With less room for the handoff, the next candidate is tried. */
  readonly handoffTokensMin: number;
  /** What the handoff is given whether the limit can be kept or not. */
  readonly handoffTokensLeast?: (roomTokens: number, replacedTokens: number) => number;
  /** What a handoff costs beside its text. */
  readonly overheadTokens?: number;
}

/** For what a goal leaves out. */
export const GOAL_DEFAULTS = {
  handoffTokensLeast: () => HANDOFF_TOKENS_MIN,
  overheadTokens: MESSAGE_OVERHEAD_TOKENS,
} as const;

/** What a provider refused is halved, where our own count finds nothing wrong with it. */
const REFUSED_SHARE = 0.5;

/** The parts of a request that say how small a result is to be. */
export interface SizeRequest {
  readonly budget?: number;
  readonly reason: string;
}

/** What a result may weigh: the budget, else what the engine aims at; below what was refused in any case. */
export function limitOf({ budget, reason }: SizeRequest, targetTokens: number, standingTokens: number): number {
  if (budget !== undefined) return budget;
  return reason === "overflow" ? Math.min(targetTokens, Math.floor(standingTokens * REFUSED_SHARE)) : targetTokens;
}

/** The figures of the default engine (Zhang 2026), so that engines differ by their policy and not by this. */
const HANDOFF_WINDOW_SHARE = 0.05;
const HANDOFF_TOKENS_MAX = 12_000;
/** A candidate is good enough that leaves the handoff this much, of the room beside system and tools. */
const HANDOFF_SHARE_MIN = 0.25;
const HANDOFF_TOKENS_ENOUGH = 2_000;

/** The most that a handoff weighs in a window, where the sources of an engine say nothing of it. */
export function handoffTokensMax(contextLength: number): number {
  return Math.floor(Math.min(contextLength * HANDOFF_WINDOW_SHARE, HANDOFF_TOKENS_MAX));
}

export interface GoalRequest {
  /** What the result may weigh, in tokens, and what of that system and tools take. */
  readonly limitTokens: number;
  readonly besideTokens: number;
  /** The most that a handoff weighs where no budget gives it more. */
  readonly handoffTokens: number;
  /** An explicit budget is there to be used. */
  readonly budgeted: boolean;
}

export function goalWithin({ limitTokens, besideTokens, handoffTokens, budgeted }: GoalRequest): SizeGoal {
  const room = Math.max(0, limitTokens - besideTokens);
  return {
    limitTokens,
    handoffTokens: (replaced) => (budgeted ? room : Math.min(handoffTokens, replaced)),
    handoffTokensMin: Math.min(HANDOFF_TOKENS_ENOUGH, Math.floor(room * HANDOFF_SHARE_MIN)),
  };
}
