/** How a result's weight is shared out where the sources of an engine say nothing of how long a handoff may be. */
import type { Aim } from "./fitting.ts";

/** The figures of the default engine (Zhang 2026), so that engines differ by their policy and not by this. */
const HANDOFF_WINDOW_SHARE = 0.05;
const HANDOFF_TOKENS_MAX = 12_000;
/** A shape is good enough that leaves the handoff this much, of the room beside system and tools. */
const HANDOFF_SHARE_MIN = 0.25;
const HANDOFF_TOKENS_ENOUGH = 2_000;

export function handoffTokensMax(contextLength: number): number {
  return Math.floor(Math.min(contextLength * HANDOFF_WINDOW_SHARE, HANDOFF_TOKENS_MAX));
}

export interface Sharing {
  /** What the result may weigh, in tokens, and what of that system and tools take. */
  readonly limitTokens: number;
  readonly besideTokens: number;
  /** The most that a handoff weighs where no budget gives it more. */
  readonly handoffTokens: number;
  /** An explicit budget is there to be used. */
  readonly budgeted: boolean;
}

export function aimWithin({ limitTokens, besideTokens, handoffTokens, budgeted }: Sharing): Aim {
  const room = Math.max(0, limitTokens - besideTokens);
  return {
    limitTokens,
    handoffTokens: (replaced) => (budgeted ? room : Math.min(handoffTokens, replaced)),
    handoffTokensMin: Math.min(HANDOFF_TOKENS_ENOUGH, Math.floor(room * HANDOFF_SHARE_MIN)),
  };
}
