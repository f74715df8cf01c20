/** What the engine remembers between two compactions: the graph, and whether it rests. Plain data. */
import type { PolicyRun, States } from "../../compaction/run/policy.ts";
import { dueAt, retryFrom, stateOf } from "../../compaction/run/state.ts";
import type { Decision } from "../contract.ts";
import { NO_DAG, type Dag } from "./dag.ts";
import type { LosslessGoal } from "./goal.ts";
import type { LosslessLimits } from "./limits.ts";

const STATE_SCHEMA_VERSION = 1;

export interface LosslessState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly engine: "lossless";
  readonly dag: Dag;
  /** No attempt is made up to here, in tokens. */
  readonly quietToTokens: number;
}

export type LosslessRun = PolicyRun<LosslessState, LosslessGoal>;

const FRESH = stateWith(NO_DAG);

export const LOSSLESS_STATES: States<LosslessState, LosslessGoal> = {
  fresh: FRESH,
  own: (given) => stateOf(FRESH, given),
  afterCompaction: ({ state }, { report, leaves }) =>
    stateWith(leaves.dag ?? state.dag, report.irreducible === undefined ? 0 : report.tokens.after),
  afterFutileAttempt: ({ goal, before }) => stateWith(goal.dag, before),
};

/** `stuckTokens`: what is left although it should be less. */
function stateWith(dag: Dag, stuckTokens = 0): LosslessState {
  return { schemaVersion: STATE_SCHEMA_VERSION, engine: "lossless", dag, quietToTokens: retryFrom(stuckTokens) };
}

const RESTS =
  "system prompt, tools, the live request and the last exchange leave too little room: start a fresh session";

/** Due above the trigger. */
export function decide({ quietToTokens }: LosslessState, tokens: number, { triggerTokens }: LosslessLimits): Decision {
  return tokens <= triggerTokens ? { kind: "none" } : dueAt(triggerTokens, tokens, quietToTokens, RESTS);
}
