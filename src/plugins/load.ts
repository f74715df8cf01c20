/**
 * From the name in `context.engine` to an engine, in Hermes Agent's order: a folder `plugins/context_engine/<name>/`,
 * an engine registered by code, the built-in. `compressor` is always the built-in, and nothing is used that is not named.
 */
import { join, resolve } from "node:path";
import { PrecisError } from "../core/errors.ts";
import type { EngineSource } from "../core/engines/contract.ts";
import { builtInName, ENGINE_NAMES } from "../core/engines/names.ts";
import { createPluginEngine } from "./engine.ts";
import { findPlugin, PLUGIN_FOLDER, type Plugin } from "./find.ts";
import { createHost, type Host } from "./host.ts";
import { PLUGIN_LIMITS, type PluginLimits } from "./fault.ts";
import { registeredEngine } from "./registered.ts";

export interface LoadOptions {
  /** Folders that hold plugins, a folder each; the first that has the name counts. Default `plugins/context_engine` here. */
  readonly folders?: readonly string[];
  readonly limits?: Partial<PluginLimits>;
  /** Called with what the plugin prints; by default, that is discarded. */
  readonly says?: (text: string) => void;
}

/** An engine from a folder. Its threads start when a session needs them, and keep no program alive. */
export interface PluginSource extends EngineSource {
  readonly plugin: Plugin;
  /** Ends its threads. */
  readonly close: () => Promise<void>;
}

/**
 * What `createSession({ engine })` takes for a name: a plugin, or the name itself if it is a registered or a built-in engine.
 *
 * @throws PrecisError `unknown_engine`, which says where was looked; `bad_plugin` for a folder that is no plugin's.
 */
export function loadEngine(name: string, options: LoadOptions = {}): PluginSource | string {
  const { folders = [PLUGIN_FOLDER] } = options;
  if (name === "compressor") return name;
  const plugin = findPlugin(name, folders);
  if (plugin !== undefined) return openPlugin(plugin, options);
  if (registeredEngine(name) !== undefined) return name;
  const known = builtInName(name);
  if (known === undefined) throw unknownEngine(name, folders);
  return known;
}

export function openPlugin(plugin: Plugin, options: Omit<LoadOptions, "folders"> = {}): PluginSource & { host: Host } {
  const limits = { ...PLUGIN_LIMITS, ...options.limits };
  const { name } = plugin;
  const host = createHost({ plugin, limits, says: options.says });
  return {
    name,
    plugin,
    host,
    make: (settings) => createPluginEngine({ name, host, limits, settings }),
    close: host.close,
  };
}

function unknownEngine(name: string, folders: readonly string[]): PrecisError {
  const places = folders.map((folder) => join(resolve(folder), name)).join(" or ");
  return new PrecisError(`there is no engine named "${name}": no folder ${places}, none registered, none built in`, {
    code: "unknown_engine",
    place: "context.engine",
    hint: `\`precis plugins\` lists the plugins there are; built in: ${ENGINE_NAMES.join(", ")}.`,
  });
}
