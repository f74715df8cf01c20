/** What `layered` keeps between compactions: what it has done to the session, and how often it failed to do enough. */
import type { CompactionReport } from "../../compaction/compaction.ts";
import type { Decision } from "../contract.ts";
import { dueAt, isOwn, onwards, startOf, stuck, type Course } from "../result/course.ts";
import type { Written } from "../result/model-handoff.ts";
import type { LayeredLimits } from "./limits.ts";
import type { SessionMemory } from "./session-memory.ts";

const ENGINE = "layered";
/** The breaker (IA al Día 2026; observed in Claude Code 2.1). */
const FAILURES_MAX = 3;
/** A window that is full again after fewer messages was not emptied enough (the rapid refills of Claude Code 2.1). */
const RAPID_MESSAGES = 6;

/** Half-open range of message indices in the originals. */
export interface Range {
  readonly from: number;
  readonly until: number;
}

export interface LayeredState extends Course {
  /** Attempts in a row that failed, or that did not last. */
  readonly failures: number;
  /** Messages of the conversation at the last compaction. */
  readonly messages: number;
  /** Where results were cleared: they stay so. */
  readonly cleared: readonly Range[];
  /** Index after the last message that the standing summary is of; 0 without one, -1 where what stands behind it was rewritten. */
  readonly summarisedUntil: number;
  readonly memory?: SessionMemory;
}

export function initialState(): LayeredState {
  return { ...startOf(ENGINE), failures: 0, messages: 0, cleared: [], summarisedUntil: 0 };
}

/** A state of another version or engine counts as none. */
export function knownState(state: LayeredState | null | undefined): LayeredState {
  return isOwn(ENGINE, state) ? state : initialState();
}

export function decide(state: LayeredState, tokens: number, { triggerTokens }: LayeredLimits): Decision {
  const due = dueAt(triggerTokens, state, tokens);
  if (due.kind === "none" || state.failures < FAILURES_MAX) return due;
  return {
    kind: "none",
    because: `${state.failures} compactions in a row failed or did not last: start a fresh session, or compact with a focus`,
  };
}

/** What one compaction left behind. */
export interface Left extends Pick<LayeredState, "messages" | "cleared" | "summarisedUntil"> {
  readonly memory: SessionMemory | undefined;
  readonly written: Written | undefined;
}

export function afterCompaction(
  state: LayeredState,
  report: CompactionReport,
  { memory, written, ...left }: Left,
): LayeredState {
  const { memory: _, ...rest } = state;
  const rapid = state.compactions > 0 && left.messages - state.messages < RAPID_MESSAGES;
  const failed = rapid || report.irreducible !== undefined;
  return {
    ...onwards(rest, report, written),
    ...left,
    failures: failed ? state.failures + 1 : 0,
    ...(memory === undefined ? {} : { memory }),
  };
}

export function afterFutileAttempt(state: LayeredState, tokens: number): LayeredState {
  return { ...stuck(state, tokens), failures: state.failures + 1 };
}
