/**
 * From shapes to an outcome, for engines that only say what stays and what it becomes: the first shape that fits is taken,
 * a handoff written for what it leaves out, the live request anchored, broken pairs repaired, and all of it accounted for.
 */
import type { CompactionReport } from "../../compaction/compaction.ts";
import { liveRequestOf } from "../../ledger/readers/live-request.ts";
import { SEVEN_SECTIONS } from "../../handoff/templates.ts";
import type { Transcript } from "../../transcript/message.ts";
import type { CompactRequest, Outcome } from "../contract.ts";
import type { Shape } from "./assemble.ts";
import { sizeOf, type Job } from "./draft.ts";
import { finished } from "./finish.ts";
import { firstThatFits } from "./fitting.ts";
import { createMemories } from "./memory.ts";

export interface Composition {
  /** Name of the engine, for the report. */
  readonly engine: string;
  /** From the mildest to the severest, made one by one while they are asked for; at least one. */
  readonly shapes: Iterable<Shape>;
  /** What the whole result should weigh at most, in tokens; above it the outcome says `irreducible`. */
  readonly limitTokens: number;
  /** Of that, the handoff's at most. Default 2,000. */
  readonly handoffTokens?: number;
  /** The engine's next state: plain data. Without a report the attempt came to nothing. */
  readonly stateAfter: (report: CompactionReport | undefined) => unknown;
}

const HANDOFF_TOKENS = 2_000;

export function composeOutcome(original: Transcript, request: CompactRequest, composition: Composition): Outcome {
  const { engine, shapes, limitTokens, handoffTokens = HANDOFF_TOKENS, stateAfter } = composition;
  request.signal?.throwIfAborted();
  const { measure, standing = original } = request;
  const before = measure.transcript(standing);
  const besideTokens = measure.transcript({ ...original, messages: [] });
  const live = liveRequestOf(original.messages);
  const job: Job = { original, system: original.system, request, live, besideTokens, template: SEVEN_SECTIONS };
  const memory = createMemories()(original.messages, request);
  const handoff = { handoffTokens: () => handoffTokens, handoffTokensMin: handoffTokens };
  const draft = firstThatFits(job, memory, candidatesOf(shapes), { limitTokens, ...handoff });
  const smallest = sizeOf(job, draft);
  const because = `system and tools take ${besideTokens} tokens, and nothing more may give way`;
  const irreducible = smallest <= limitTokens ? undefined : { limit: limitTokens, smallest, because };
  if (smallest >= before)
    return {
      kind: "unchanged",
      because: "what may give way would make nothing smaller",
      state: stateAfter(undefined),
      ...(irreducible === undefined ? {} : { irreducible }),
    };
  const summary = draft.handoff === undefined ? undefined : { by: "ledger" as const, steps: [] };
  const compaction = finished({ engine, job, memory, draft, before, irreducible, summary, remarks: [], stateAfter });
  return { kind: "compacted", compaction };
}

function* candidatesOf(shapes: Iterable<Shape>): Generator<{ readonly shape: Shape }> {
  for (const shape of shapes) yield { shape };
}
