/** Engines by name. `compressor` is always the built-in; an unknown name is an error that lists the known ones. */
import { PrecisError } from "../errors.ts";
import { createCompressor } from "./compressor/compressor.ts";
import { compressorFigures } from "./compressor/limits.ts";
import type { Engine } from "./contract.ts";
import type { Figure } from "./figure.ts";
import { createHandoff } from "./handoff/handoff.ts";
import { handoffFigures } from "./handoff/limits.ts";
import { createLayered } from "./layered/layered.ts";
import { layeredFigures } from "./layered/limits.ts";
import { createLossless } from "./lossless/lossless.ts";
import { losslessFigures } from "./lossless/limits.ts";
import { builtInName, ENGINE_NAMES, type EngineName } from "./names.ts";
import { createNone } from "./none/none.ts";
import { createSacredZone } from "./sacred-zone/sacred-zone.ts";
import { sacredZoneFigures } from "./sacred-zone/limits.ts";
import { ownSettings, type EngineSettings } from "./settings.ts";
import { createStepped } from "./stepped/stepped.ts";
import { steppedFigures } from "./stepped/limits.ts";

interface BuiltIn {
  readonly create: (settings: EngineSettings) => Engine;
  /** What follows from its settings, in tokens. */
  readonly figures: (settings: EngineSettings) => readonly Figure[];
}

const BUILT_IN: Readonly<Record<EngineName, BuiltIn>> = {
  compressor: { create: (settings) => createCompressor(settings) as Engine, figures: compressorFigures },
  "sacred-zone": {
    create: (settings) => createSacredZone(ownSettings("sacred-zone", settings)) as Engine,
    figures: (settings) => sacredZoneFigures(ownSettings("sacred-zone", settings)),
  },
  handoff: {
    create: (settings) => createHandoff(ownSettings("handoff", settings)) as Engine,
    figures: (settings) => handoffFigures(ownSettings("handoff", settings)),
  },
  layered: {
    create: (settings) => createLayered(ownSettings("layered", settings)) as Engine,
    figures: (settings) => layeredFigures(ownSettings("layered", settings)),
  },
  lossless: {
    create: (settings) => createLossless(ownSettings("lossless", settings)) as Engine,
    figures: (settings) => losslessFigures(ownSettings("lossless", settings)),
  },
  stepped: {
    create: (settings) => createStepped(ownSettings("stepped", settings)) as Engine,
    figures: (settings) => steppedFigures(ownSettings("stepped", settings)),
  },
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
