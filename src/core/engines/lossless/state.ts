/** What the engine remembers between two compactions: the graph, and whether it rests. Plain data. */
import type { Decision } from "../contract.ts";
import { NO_DAG, type Dag } from "./dag.ts";
import type { LosslessLimits } from "./limits.ts";

const STATE_SCHEMA_VERSION = 1;
/** What could not be made small enough is tried again when it has grown by as much. */
const GROWTH_BEFORE_RETRY = 1.1;

export interface LosslessState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly engine: "lossless";
  readonly dag: Dag;
  /** No attempt is made up to here, in tokens. */
  readonly quietToTokens: number;
}

export function initialState(): LosslessState {
  return stateWith(NO_DAG);
}

/** `stuckTokens`: what is left although it should be less. */
export function stateWith(dag: Dag, stuckTokens = 0): LosslessState {
  const quietToTokens = Math.ceil(stuckTokens * GROWTH_BEFORE_RETRY);
  return { schemaVersion: STATE_SCHEMA_VERSION, engine: "lossless", dag, quietToTokens };
}

/** A state of another version or engine counts as none. */
export function ownState(state: unknown): LosslessState {
  const given = state as Partial<LosslessState> | null | undefined;
  const isOwn = given?.engine === "lossless" && given.schemaVersion === STATE_SCHEMA_VERSION;
  return isOwn ? (given as LosslessState) : initialState();
}

export function decide({ quietToTokens }: LosslessState, tokens: number, { triggerTokens }: LosslessLimits): Decision {
  if (tokens <= triggerTokens) return { kind: "none" };
  if (tokens > quietToTokens) return { kind: "compact", reason: "threshold", urgency: "now" };
  const because = "system prompt, tools, the live request and the last exchange leave too little room: start afresh";
  return { kind: "none", because };
}
