/** Engines by name. `compressor` is always the built-in; an unknown name is an error that lists the known ones. */
import { PrecisError } from "../errors.ts";
import { createCompressor } from "./compressor/compressor.ts";
import type { CompressorSettings } from "./compressor/limits.ts";
import type { Engine } from "./contract.ts";
import { createHandoff } from "./handoff/handoff.ts";
import { HANDOFF_DEFAULTS } from "./handoff/limits.ts";
import { createLayered } from "./layered/layered.ts";
import { LOSSLESS_DEFAULTS } from "./lossless/limits.ts";
import { createLossless } from "./lossless/lossless.ts";
import { builtInName, ENGINE_NAMES, type EngineName } from "./names.ts";
import { createNone } from "./none/none.ts";
import { SACRED_ZONE_DEFAULTS } from "./sacred-zone/limits.ts";
import { createSacredZone } from "./sacred-zone/sacred-zone.ts";
import { STEPPED_DEFAULTS } from "./stepped/limits.ts";
import { createStepped } from "./stepped/stepped.ts";

const BUILT_IN: Readonly<Record<EngineName, (settings: CompressorSettings) => Engine>> = {
  compressor: (settings) => createCompressor(settings) as Engine,
  "sacred-zone": ({ contextLength, maxOutputTokens }) =>
    createSacredZone({ ...SACRED_ZONE_DEFAULTS, contextLength, maxOutputTokens }) as Engine,
  handoff: ({ contextLength, maxOutputTokens, preset }) =>
    createHandoff({ ...HANDOFF_DEFAULTS, contextLength, maxOutputTokens, preset }) as Engine,
  layered: ({ contextLength, maxOutputTokens }) => createLayered({ contextLength, maxOutputTokens }) as Engine,
  lossless: ({ contextLength, maxOutputTokens }) =>
    createLossless({ ...LOSSLESS_DEFAULTS, contextLength, maxOutputTokens }) as Engine,
  stepped: ({ contextLength, maxOutputTokens, preset }) =>
    createStepped({ ...STEPPED_DEFAULTS, contextLength, maxOutputTokens, preset }) as Engine,
  none: () => createNone() as Engine,
};

/** Throws `unknown_engine` for a name that nothing answers to. */
export function createEngine(name: string, settings: CompressorSettings): Engine {
  const known = builtInName(name);
  if (known !== undefined) return BUILT_IN[known](settings);
  throw new PrecisError(`there is no engine named "${name}"`, {
    code: "unknown_engine",
    place: "context.engine",
    hint: `use one of: ${ENGINE_NAMES.join(", ")}`,
  });
}
