/**
 * From shapes to an outcome, for engines that only say what stays and what it becomes: the first shape that fits is taken,
 * a handoff written for what it leaves out, the live request anchored, broken pairs repaired, and all of it accounted for.
 */
import { draftResult, explainIrreducible, recordResult, weighDraft, codeWritten } from "../compaction/apply.ts";
import type { CompactionReport } from "../compaction/compaction.ts";
import { beginRun, findFirstCut, type Candidate, type ResultShape } from "../compaction/plan.ts";
import { SEVEN_SECTIONS } from "../handoff/templates.ts";
import type { Transcript } from "../transcript/message.ts";
import type { CompactRequest, Outcome } from "./contract.ts";

export interface Composition {
  /** Name of the engine, for the report. */
  readonly engine: string;
  /** From the mildest to the severest, made one by one while they are asked for; at least one. */
  readonly shapes: Iterable<ResultShape>;
  /** What the whole result should weigh at most, in tokens; above it the outcome says `irreducible`. */
  readonly limitTokens: number;
  /** Of that, the handoff's at most. Default 2,000. */
  readonly handoffTokens?: number;
  /** The engine's next state: plain data. Without a report the attempt came to nothing. */
  readonly stateAfter: (report: CompactionReport | undefined) => unknown;
}

const HANDOFF_TOKENS = 2_000;

/** Makes the outcome of an engine's own composition: put together, checked by the oracle, and refused where it saves nothing. */
export function composeOutcome(original: Transcript, request: CompactRequest, composition: Composition): Outcome {
  const { engine, shapes, limitTokens, handoffTokens = HANDOFF_TOKENS, stateAfter } = composition;
  request.signal?.throwIfAborted();
  const run = beginRun(original, request, { template: SEVEN_SECTIONS });
  const goal = { limitTokens, handoffTokens: () => handoffTokens, handoffTokensMin: handoffTokens };
  const draft = draftResult(run, findFirstCut(run, candidates(shapes), goal));
  const size = weighDraft(run, draft);
  const irreducible = explainIrreducible(run, size, { limitTokens }, ", and nothing else may be removed");
  if (size < run.before) {
    const record = recordResult(run, { ...codeWritten(draft), engine, irreducible });
    return { kind: "compacted", compaction: { ...record, state: stateAfter(record.report) } };
  }
  return {
    kind: "unchanged",
    because: "removing what may be removed would not make it smaller",
    state: stateAfter(undefined),
    ...(irreducible === undefined ? {} : { irreducible }),
  };
}

function* candidates(shapes: Iterable<ResultShape>): Generator<Candidate> {
  for (const shape of shapes) yield { shape };
}
