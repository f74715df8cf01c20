/** What `layered` keeps between compactions: what it has done to the session, and how often it failed to do enough. */
import type { WrittenDraft } from "../../compaction/run/model-handoff.ts";
import type { States } from "../../compaction/run/policy.ts";
import { afterCompaction, backOff, dueAt, startOf, stateOf, type EngineState } from "../../compaction/run/state.ts";
import type { Measure } from "../../transcript/measure.ts";
import type { Decision } from "../contract.ts";
import type { LayeredGoal, LayeredLimits } from "./limits.ts";
import { memoryOf, type SessionMemory } from "./session-memory.ts";

/** A window that is full again after fewer messages was not emptied enough (the rapid refills of Claude Code 2.1). */
const RAPID_MESSAGES = 6;

/** Half-open range of message indices in the originals. */
export interface Range {
  readonly from: number;
  readonly until: number;
}

export interface LayeredState extends EngineState {
  /** Attempts in a row that failed, or that did not last. */
  readonly failures: number;
  /** Messages of the conversation at the last compaction. */
  readonly messages: number;
  /** Where results were cleared: they stay so. */
  readonly cleared: readonly Range[];
  /** Index after the last message that the active summary is of; 0 without one, -1 where what follows it was rewritten. */
  readonly summarisedUntil: number;
  readonly memory?: SessionMemory;
}

const FRESH: LayeredState = { ...startOf("layered"), failures: 0, messages: 0, cleared: [], summarisedUntil: 0 };

export function decide(state: LayeredState, tokens: number, { triggerTokens, failuresMax }: LayeredLimits): Decision {
  const due = dueAt(triggerTokens, tokens, state.restsToTokens);
  if (due.kind === "none" || state.failures < failuresMax) return due;
  return {
    kind: "none",
    because: `${state.failures} consecutive compactions failed or had to be repeated at once: start a fresh session, or compact with a focus`,
  };
}

export const LAYERED_STATES: States<LayeredState, LayeredGoal> = {
  fresh: FRESH,
  own: (given) => stateOf(FRESH, given),
  afterCompaction: ({ state, original, request }, { report, settled, written, leaves }) => {
    const { memory: _, ...rest } = state;
    const messages = original.messages.length;
    const rapid = state.compactions > 0 && messages - state.messages < RAPID_MESSAGES;
    const failed = rapid || report.irreducible !== undefined;
    return {
      ...afterCompaction<LayeredState>(rest, report, written),
      ...(leaves.cleared === undefined ? summaryLeaves(settled, request.measure) : leaves),
      messages,
      failures: failed ? state.failures + 1 : 0,
    };
  },
  afterFutileAttempt: ({ state, before }) => ({ ...backOff(state, before), failures: state.failures + 1 }),
};

/** An active summary that nothing can be cleared behind, because the messages there were rewritten. */
const REWRITTEN = -1;
/** The rung whose tail is as it was. */
export const RUNG_SUMMARY = 1;

function summaryLeaves({ draft }: WrittenDraft, measure: Measure): Partial<LayeredState> {
  const { shape, handoff } = draft;
  return {
    cleared: [],
    summarisedUntil: shape.rung === RUNG_SUMMARY ? shape.tailStart : REWRITTEN,
    memory: memoryOf(handoff?.text ?? "", measure),
  };
}
