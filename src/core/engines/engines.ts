/** Engines by name. `compressor` is always the built-in; an unknown name is an error that lists the known ones. */
import { PrecisError } from "../errors.ts";
import { createCompressor } from "./compressor/compressor.ts";
import type { CompressorSettings } from "./compressor/limits.ts";
import type { Engine } from "./contract.ts";
import { createNone } from "./none/none.ts";
import { SACRED_ZONE_DEFAULTS } from "./sacred-zone/limits.ts";
import { createSacredZone } from "./sacred-zone/sacred-zone.ts";

const BUILT_IN: Readonly<Record<string, (settings: CompressorSettings) => Engine>> = {
  compressor: (settings) => createCompressor(settings) as Engine,
  "sacred-zone": ({ contextLength, maxOutputTokens }) =>
    createSacredZone({ ...SACRED_ZONE_DEFAULTS, contextLength, maxOutputTokens }) as Engine,
  none: () => createNone() as Engine,
};

export const ENGINE_NAMES: readonly string[] = Object.keys(BUILT_IN);

/** Throws `unknown_engine` for a name that nothing answers to. */
export function createEngine(name: string, settings: CompressorSettings): Engine {
  const make = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (make !== undefined) return make(settings);
  throw new PrecisError(`there is no engine named "${name}"`, {
    code: "unknown_engine",
    place: "context.engine",
    hint: `use one of: ${ENGINE_NAMES.join(", ")}`,
  });
}
