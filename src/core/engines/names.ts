/** The names of the built-in engines, apart from the engines: asking for a name loads none of them, and no settings. */

const NAMES = ["compressor", "sacred-zone", "handoff", "layered", "lossless", "stepped", "none"] as const;

export type EngineName = (typeof NAMES)[number];

export const ENGINE_NAMES: readonly string[] = NAMES;

/** Other names of built-in engines (the Hermes Agent docs call the lossless one `lcm`). */
const ALIASES: Readonly<Record<string, EngineName>> = { lcm: "lossless" };

/** The built-in engine that a name means; undefined where it means none. */
export function builtInName(name: string): EngineName | undefined {
  const meant = Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name;
  return NAMES.find((one) => one === meant);
}
