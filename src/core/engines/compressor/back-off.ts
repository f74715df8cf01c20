/**
 * When to compact, and when to stop trying: after two compactions in a row that saved under a tenth, the in-loop
 * trigger rests (Zhang 2026, section 17) and says whether the session is dense or the handoff poor.
 */
import type { CompactionReport } from "../../compaction/compaction.ts";
import type { Decision, Situation } from "../contract.ts";
import type { Written } from "../result/model-handoff.ts";
import type { Limits } from "./limits.ts";

const SAVINGS_SHARE_MIN = 0.1;
const INEFFECTIVE_MAX = 2;
/** A result in which what must stay weighs more than this is dense: no summary could make it smaller. */
const DENSE_SHARE = 0.7;
const STATE_SCHEMA_VERSION = 1;

export interface CompressorState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly compactions: number;
  /** Compactions in a row that saved too little. */
  readonly ineffective: number;
  readonly cause?: "dense session" | "poor handoff";
  readonly written?: Written;
}

export function initialState(): CompressorState {
  return { schemaVersion: STATE_SCHEMA_VERSION, compactions: 0, ineffective: 0 };
}

/** A state of another version, or of another engine that worked on the session before, counts as none. */
export function ownState(state: CompressorState | null | undefined): CompressorState {
  const isOwn = state?.schemaVersion === STATE_SCHEMA_VERSION && typeof state.ineffective === "number";
  return isOwn ? state : initialState();
}

export function decide(state: CompressorState, situation: Situation, limits: Limits): Decision {
  if (situation.tokens < limits.thresholdTokens) return { kind: "none" };
  if (state.ineffective < INEFFECTIVE_MAX) return { kind: "compact", reason: "threshold", urgency: "now" };
  const advice = "start a fresh session, or compact with a focus";
  return {
    kind: "none",
    because: `the last ${state.ineffective} compactions saved under 10 % (${state.cause}): ${advice}`,
  };
}

export function afterCompaction(
  state: CompressorState,
  report: Pick<CompactionReport, "tokens" | "parts">,
  written?: Written,
): CompressorState {
  const { before, after } = report.tokens;
  const next = { ...initialState(), compactions: state.compactions + 1, ...(written === undefined ? {} : { written }) };
  if (before - after >= before * SAVINGS_SHARE_MIN) return next;
  const cause = after - report.parts.handoff > after * DENSE_SHARE ? "dense session" : "poor handoff";
  return { ...next, ineffective: state.ineffective + 1, cause };
}

/** An attempt that found nothing smaller counts as one that saved nothing. */
export function afterFutileAttempt(state: CompressorState): CompressorState {
  return { ...state, ineffective: state.ineffective + 1, cause: "dense session" };
}
