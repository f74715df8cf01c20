/**
 * When to compact, and when to stop trying: after two compactions in a row that saved under a tenth, the in-loop
 * trigger rests (Zhang 2026, section 17) and says whether the session is dense or the handoff poor.
 */
import type { CompactionReport } from "../../compaction/compaction.ts";
import { SAVED_LITTLE_ADVICE, savedLittle } from "../../compaction/savings.ts";
import type { Decision } from "../contract.ts";
import type { States } from "../../compaction/run/policy.ts";
import type { LastModelHandoff } from "../../compaction/run/model-record.ts";
import type { CompressorGoal } from "./goal.ts";
import type { Limits } from "./limits.ts";

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
  readonly written?: LastModelHandoff;
}

const FRESH: CompressorState = { schemaVersion: STATE_SCHEMA_VERSION, compactions: 0, ineffective: 0 };

export const COMPRESSOR_STATES: States<CompressorState, CompressorGoal> = {
  fresh: FRESH,
  own: ownState,
  afterCompaction: ({ state }, { report, written }) => afterCompaction(state, report, written),
  // An attempt that found nothing smaller counts as one that saved nothing.
  afterFutileAttempt: ({ state }) => ({ ...state, ineffective: state.ineffective + 1, cause: "dense session" }),
};

/** The default engine's state bears no name. */
function ownState(given: unknown): CompressorState {
  const state = given as CompressorState | null | undefined;
  const isOwn = state?.schemaVersion === STATE_SCHEMA_VERSION && typeof state.ineffective === "number";
  return isOwn ? state : FRESH;
}

export function decide(state: CompressorState, tokens: number, { thresholdTokens }: Limits): Decision {
  if (tokens < thresholdTokens) return { kind: "none" };
  if (state.ineffective < INEFFECTIVE_MAX) return { kind: "compact", reason: "threshold", urgency: "now" };
  return {
    kind: "none",
    because: `the last ${state.ineffective} compactions saved under 10 % (${state.cause}): ${SAVED_LITTLE_ADVICE}`,
  };
}

function afterCompaction(
  state: CompressorState,
  report: Pick<CompactionReport, "tokens" | "parts">,
  written?: LastModelHandoff,
): CompressorState {
  const next = { ...FRESH, compactions: state.compactions + 1, ...(written === undefined ? {} : { written }) };
  if (!savedLittle(report)) return next;
  const { after } = report.tokens;
  const cause = after - report.parts.handoff > after * DENSE_SHARE ? "dense session" : "poor handoff";
  return { ...next, ineffective: state.ineffective + 1, cause };
}
