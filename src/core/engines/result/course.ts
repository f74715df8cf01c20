/**
 * The course of a session under an engine with one trigger: when a compaction is due, and when the engine rests because
 * the last attempt could do too little. An engine that does not rest compacts without end: OpenCode 1.18 was seen to
 * write 88 summaries in 48 seconds.
 */
import type { CompactionReport } from "../../compaction/compaction.ts";
import type { Decision } from "../contract.ts";
import type { Written } from "./model-handoff.ts";

const STATE_SCHEMA_VERSION = 1;
/** What could not be made small enough is tried again when it has grown by as much. */
const GROWN_SINCE_STUCK = 1.1;
/** A compaction that saves less is not worth the next one at once. */
const SAVINGS_SHARE_MIN = 0.1;
/** What a provider refused is halved, where our own count finds nothing wrong with it. */
const REFUSED_SHARE = 0.5;

export interface Course {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  /** Name of the engine. */
  readonly engine: string;
  readonly compactions: number;
  /** No attempt is made up to here, in tokens. */
  readonly restsToTokens: number;
  readonly written?: Written;
}

export function startOf(engine: string): Course {
  return { schemaVersion: STATE_SCHEMA_VERSION, engine, compactions: 0, restsToTokens: 0 };
}

/** Whether a state is this engine's own; one of another version or engine counts as none. */
export function isOwn(engine: string, state: Course | null | undefined): state is Course {
  return state?.engine === engine && state.schemaVersion === STATE_SCHEMA_VERSION;
}

/** Due from the trigger on. */
export function dueAt(triggerTokens: number, { restsToTokens }: Course, tokens: number): Decision {
  if (tokens < triggerTokens) return { kind: "none" };
  if (tokens > restsToTokens) return { kind: "compact", reason: "threshold", urgency: "now" };
  return { kind: "none", because: "the last compaction could free too little: start a fresh session" };
}

export function onwards<State extends Course>(
  state: State,
  { tokens, irreducible }: Pick<CompactionReport, "tokens" | "irreducible">,
  written: Written | undefined,
): State {
  const { written: _, ...rest } = state;
  const poor = irreducible !== undefined || tokens.before - tokens.after < tokens.before * SAVINGS_SHARE_MIN;
  return {
    ...(rest as State),
    compactions: state.compactions + 1,
    restsToTokens: poor ? restsTo(tokens.after) : 0,
    ...(written === undefined ? {} : { written }),
  };
}

/** After an attempt that found nothing smaller. */
export function stuck<State extends Course>(state: State, tokens: number): State {
  return { ...state, restsToTokens: restsTo(tokens) };
}

function restsTo(tokens: number): number {
  return Math.ceil(tokens * GROWN_SINCE_STUCK);
}

export interface Asked {
  readonly budget?: number;
  readonly reason: string;
}

/** What a result may weigh: the budget, else what the engine aims at; below what was refused in any case. */
export function limitOf({ budget, reason }: Asked, targetTokens: number, standingTokens: number): number {
  if (budget !== undefined) return budget;
  return reason === "overflow" ? Math.min(targetTokens, Math.floor(standingTokens * REFUSED_SHARE)) : targetTokens;
}
