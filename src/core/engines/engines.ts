/** Engines by name. `compressor` is always the built-in; an unknown name is an error that lists the known ones. */
import { PrecisError } from "../errors.ts";
import { createCompressor } from "./compressor/compressor.ts";
import type { Engine } from "./contract.ts";
import { createHandoff } from "./handoff/handoff.ts";
import { createLayered } from "./layered/layered.ts";
import { createLossless } from "./lossless/lossless.ts";
import { builtInName, ENGINE_NAMES, type EngineName } from "./names.ts";
import { createNone } from "./none/none.ts";
import { createSacredZone } from "./sacred-zone/sacred-zone.ts";
import { ownSettings, type EngineSettings } from "./settings.ts";
import { createStepped } from "./stepped/stepped.ts";

const BUILT_IN: Readonly<Record<EngineName, (settings: EngineSettings) => Engine>> = {
  compressor: (settings) => createCompressor(settings) as Engine,
  "sacred-zone": (given) => createSacredZone(ownSettings("sacred-zone", given)) as Engine,
  handoff: (given) => createHandoff(ownSettings("handoff", given)) as Engine,
  layered: (given) => createLayered(ownSettings("layered", given)) as Engine,
  lossless: (given) => createLossless(ownSettings("lossless", given)) as Engine,
  stepped: (given) => createStepped(ownSettings("stepped", given)) as Engine,
  none: () => createNone() as Engine,
};

/** Throws `unknown_engine` for a name that nothing answers to. */
export function createEngine(name: string, settings: EngineSettings): Engine {
  const known = builtInName(name);
  if (known !== undefined) return BUILT_IN[known](settings);
  throw new PrecisError(`there is no engine named "${name}"`, {
    code: "unknown_engine",
    place: "context.engine",
    hint: `use one of: ${ENGINE_NAMES.join(", ")}`,
  });
}
