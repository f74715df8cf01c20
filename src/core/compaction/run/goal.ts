/** What a result may weigh, and how system, handoff and the rest of it share that. */
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import type { CompactRequest } from "../../engines/contract.ts";
import type { Room } from "../../engines/room.ts";
import { MESSAGE_OVERHEAD_TOKENS, type CompactionRun } from "./draft.ts";

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

/** Of the conversation that a provider refused, as much stays, where our own count finds nothing wrong with it. */
const REFUSED_SHARE = 0.5;

/** What says how small a result is to be: the request, and what is sent today with the fixed part in it. */
export interface SizeRun extends Pick<CompactionRun, "besideTokens" | "fixedTokens" | "before"> {
  readonly request: Pick<CompactRequest, "budget" | "reason" | "freesTokensMin">;
}

/** A live request that takes more of what the engine aims at makes the result larger, up to the limit, and not the rest smaller. */
const LIVE_SHARE_MAX = 0.5;

/** What a result may weigh: the budget, else what the engine aims at; below what was refused, and small enough to be worth it. */
export function limitOf(run: SizeRun, aimTokens: number, { limitTokens }: Pick<Room, "limitTokens">): number {
  const { request, besideTokens, fixedTokens, before } = run;
  const { budget, reason } = request;
  if (budget !== undefined) return budget;
  const excess = fixedTokens - besideTokens - (aimTokens - besideTokens) * LIVE_SHARE_MAX;
  const targetTokens = Math.max(aimTokens, Math.min(Math.floor(aimTokens + Math.max(0, excess)), limitTokens));
  if (reason !== "overflow") return Math.min(targetTokens, worthwhile(request, before));
  return Math.min(targetTokens, besideTokens + Math.floor((before - besideTokens) * REFUSED_SHARE));
}

/** Above it a result that a session makes by itself is too large to be sent: the limit, or where the engine compacts later. */
export function acceptedTokensOf({ request }: SizeRun, room: Pick<Room, "limitTokens">, triggerTokens: number): number {
  return request.budget ?? Math.max(room.limitTokens, triggerTokens - 1);
}

/**
 * What a result may weigh that shows the model in full what it has not read yet: as much as a request may. It is not cut only
 * to free more. An explicit budget is a maximum also for that.
 */
export function unreadLimitOf({ request }: Pick<SizeRun, "request">, room: Pick<Room, "limitTokens">): number {
  return request.budget ?? room.limitTokens;
}

/** The most that a result may weigh that is worth making. */
function worthwhile({ freesTokensMin }: SizeRun["request"], before: number): number {
  return freesTokensMin === undefined ? Infinity : before - freesTokensMin;
}

/** The figures of the default engine (Zhang 2026), so that engines differ by their policy and not by this. */
const HANDOFF_WINDOW_SHARE = 0.05;
const HANDOFF_TOKENS_MAX = 12_000;
/** A candidate is good enough that leaves the handoff this much, of the room beside system and tools. */
const HANDOFF_SHARE_MIN = 0.25;
const HANDOFF_TOKENS_ENOUGH = 2_000;

/** The most that a handoff weighs in a window, where the sources of an engine say nothing of it. */
export function handoffTokensMax(contextLength: number, fixedTokens: number): number {
  const beside = Math.max(0, contextLength - fixedTokens);
  return Math.floor(Math.min(beside * HANDOFF_WINDOW_SHARE, HANDOFF_TOKENS_MAX));
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
