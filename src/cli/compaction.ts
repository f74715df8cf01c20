/** One compaction as the command line makes it: configured, on originals held in memory, measured by our own estimator. */
import { compressorSettings } from "../config/compressor-settings.ts";
import type { Configuration } from "../config/schema.ts";
import type { Outcome } from "../core/engines/contract.ts";
import { createMeasure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { loadSecretRules } from "../secrets/rules.ts";
import { createRuntime } from "../session/runtime.ts";
import { originalsOf } from "../session/originals.ts";
import type { Original } from "../store/store.ts";
import { budgetOf } from "./amounts.ts";
import type { Input } from "./input.ts";

export interface CompactionRequest {
  /** As given: tokens, or a share of the input. */
  readonly budget?: string | undefined;
  readonly focus?: string | undefined;
  readonly force: boolean;
}

export type Compacted = Outcome & {
  readonly transcript: Transcript;
  /** Tokens of the input. */
  readonly before: number;
  /** The budget in tokens, where one was given. */
  readonly budget: number | undefined;
  /** What the compaction removed. */
  readonly originals: readonly Original[];
};

export async function compactInput(
  input: Input,
  configuration: Configuration,
  request: CompactionRequest,
): Promise<Compacted> {
  const { transcript, decoded } = input;
  const before = createMeasure().transcript(transcript);
  const budget = request.budget === undefined ? undefined : budgetOf(request.budget, before);
  const asIs = { transcript, before, budget, originals: [] };
  if (decoded?.locked !== undefined) return { kind: "unchanged", because: decoded.locked, ...asIs };
  const asked = request.force || budget !== undefined;
  if (!configuration.compression.enabled && !asked)
    return { kind: "unchanged", because: "compression.enabled is false; --force compacts all the same", ...asIs };
  const runtime = createRuntime({
    engine: configuration.context.engine,
    settings: settingsFor(transcript, configuration),
    secrets: await loadSecretRules(configuration.redaction),
    redactOutgoing: configuration.redaction.outgoing,
  });
  const outcome = await runtime.compact(transcript, {
    force: request.force,
    reason: budget === undefined ? "explicit" : "budget",
    ...(budget === undefined ? {} : { budget }),
    ...(request.focus === undefined ? {} : { focus: request.focus }),
  });
  const originals = outcome.kind === "compacted" ? originalsOf(outcome.compaction, transcript) : [];
  return { ...outcome, before, budget, originals };
}

/** Where there is no system prompt the note goes into the handoff: it must not become a system prompt of its own. */
function settingsFor(transcript: Transcript, configuration: Configuration): ReturnType<typeof compressorSettings> {
  const settings = compressorSettings(configuration);
  return transcript.system.length === 0 ? { ...settings, note: "handoff" } : settings;
}
