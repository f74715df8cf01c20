/** A long session of many small steps, and what becomes of it when it is compacted again and again. */
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import type { CompactRequest } from "../../../../src/core/engines/contract.ts";
import type { Root } from "../../../../src/core/engines/lossless/originals.ts";
import { LOSSLESS_DEFAULTS, type LosslessSettings } from "../../../../src/core/engines/settings.ts";
import { createLossless, type LosslessState } from "../../../../src/core/engines/lossless/lossless.ts";
import type { Message, Transcript } from "../../../../src/core/transcript/message.ts";
import { chain, filler, measure, ran, talk, user } from "../../../support/compacting.ts";

/** `steps` calls of about 1,000 tokens each. */
export const session = (steps: number): Transcript =>
  talk(
    user("Port the modules one by one; never touch public.ts."),
    ...Array.from({ length: steps }, (_, at) =>
      ran("shell", { command: `port part${at}` }, filler(1_000, `part${at}`)),
    ),
    user("Now the last one."),
  );

export const losslessWith = (settings: Partial<LosslessSettings> = {}) =>
  createLossless({ ...LOSSLESS_DEFAULTS, ...settings });

export interface Compacted {
  readonly compaction: Compaction;
  readonly messages: readonly Message[];
  readonly state: LosslessState;
  readonly roots: readonly Root[];
}

interface Compacting {
  /** One instance remembers what it has read. */
  readonly engine?: ReturnType<typeof losslessWith>;
  readonly request?: Partial<CompactRequest>;
  readonly settings?: Partial<LosslessSettings>;
  readonly state?: LosslessState;
}

export async function compactedBy(transcript: Transcript, given: Compacting = {}): Promise<Compacted> {
  const { engine = losslessWith(given.settings) } = given;
  const request: CompactRequest = { measure, chain, reason: "threshold", ...given.request };
  const outcome = await engine.compact(given.state ?? engine.init(), transcript, request);
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  const { compaction } = outcome;
  const state = JSON.parse(JSON.stringify(compaction.state)) as LosslessState;
  return { compaction, state, roots: state.dag.roots, messages: applyCompaction(transcript, compaction).messages };
}
