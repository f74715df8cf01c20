/** Engines by name. `compressor` is always the built-in; an unknown name is an error that lists the known ones. */
import { PrecisError } from "../errors.ts";
import { createCompressor } from "./compressor/compressor.ts";
import { compressorFigures } from "./compressor/limits.ts";
import type { Engine, CompactRequest, Outcome } from "./contract.ts";
import { createLayered, layeredFigures } from "./layered/layered.ts";
import { createLossless, losslessFigures } from "./lossless/lossless.ts";
import { builtInName, ENGINE_NAMES, type EngineName } from "./names.ts";
import { ownSettings, type EngineSettings, type EnginesSettings } from "./settings.ts";
import type { Figure } from "./room.ts";
import { createSacredZone, sacredZoneFigures } from "./sacred-zone/sacred-zone.ts";
import { createStepped, steppedFigures } from "./stepped.ts";
import { createHandoff, handoffFigures } from "./codex-handoff/codex-handoff.ts";
import { draftResult, explainIrreducible, recordResult, weighDraft, codeWritten } from "../compaction/apply.ts";
import type { CompactionReport } from "../compaction/compaction.ts";
import { beginRun, findFirstCut, type Candidate, type ResultShape } from "../compaction/plan.ts";
import { SEVEN_SECTIONS } from "../handoff/templates.ts";
import type { Transcript } from "../transcript/message.ts";

interface BuiltIn {
  readonly create: (settings: EngineSettings) => Engine;
  /** What follows from its settings, in tokens. */
  readonly figures: (settings: EngineSettings) => readonly Figure[];
}

/** An engine that is made from its own settings alone. */
function builtIn<Name extends keyof EnginesSettings, State>(
  name: Name,
  create: (settings: ReturnType<typeof ownSettings<Name>>) => Engine<State>,
  figures: (settings: ReturnType<typeof ownSettings<Name>>) => readonly Figure[],
): BuiltIn {
  return {
    create: (settings) => create(ownSettings(name, settings)) as Engine,
    figures: (settings) => figures(ownSettings(name, settings)),
  };
}

const BUILT_IN: Readonly<Record<EngineName, BuiltIn>> = {
  compressor: { create: (settings) => createCompressor(settings) as Engine, figures: compressorFigures },
  "sacred-zone": builtIn("sacred-zone", createSacredZone, sacredZoneFigures),
  handoff: builtIn("handoff", createHandoff, handoffFigures),
  layered: builtIn("layered", createLayered, layeredFigures),
  lossless: builtIn("lossless", createLossless, losslessFigures),
  stepped: builtIn("stepped", createStepped, steppedFigures),
  none: { create: () => createNone() as Engine, figures: () => [] },
};

/** What follows from the settings of a built-in engine; nothing is known of any other. */
export function figuresOf(name: string, settings: EngineSettings): readonly Figure[] {
  const known = builtInName(name);
  return known === undefined ? [] : BUILT_IN[known].figures(settings);
}

/** Throws `unknown_engine` for a name that nothing answers to. */
export function createEngine(name: string, settings: EngineSettings): Engine {
  const known = builtInName(name);
  if (known !== undefined) return BUILT_IN[known].create(settings);
  throw new PrecisError(`there is no engine named "${name}"`, {
    code: "unknown_engine",
    place: "context.engine",
    hint: `use one of: ${ENGINE_NAMES.join(", ")}`,
  });
}

const NEVER = "the engine is `none`, which never compacts";

/** The engine `none`, which never compacts: for hosts that have their own way, and as the floor of a comparison. */
export function createNone(): Engine<null> {
  return {
    name: "none",
    compacts: false,
    init: () => null,
    observe: () => null,
    decide: () => ({ kind: "none", because: NEVER }),
    compact: (_, transcript, { measure, budget, standing = transcript }) => {
      const smallest = measure.transcript(standing);
      const over = budget !== undefined && smallest > budget;
      const irreducible = over ? { irreducible: { limit: budget, smallest, because: NEVER } } : {};
      return Promise.resolve({ kind: "unchanged", because: NEVER, ...irreducible });
    },
  };
}

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
