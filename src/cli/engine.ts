/**
 * The engine that the configuration names, as a door takes it: a plugin's threads end with the command. A plugin that is
 * in a project is somebody else's code, found because one is there: it is not there before the person has agreed to it.
 */
import { shortPath } from "../config/load.ts";
import { pluginFolders } from "../config/locate.ts";
import type { Configuration } from "../config/schema.ts";
import { isTrusted } from "../config/trust.ts";
import { ENGINE_NAMES } from "../core/engines/settings.ts";
import { PrecisError } from "../core/errors.ts";
import { findPlugin, listPlugins, type Plugin } from "../plugins/find.ts";
import { fingerprintOf } from "../plugins/fingerprint.ts";
import { loadEngine, type PluginSource } from "../plugins/load.ts";
import type { Terminal } from "./terminal.ts";

/** What decides where plugins are, and which are agreed to; all of it can be handed to another thread. */
export type CommandEnvironment = Pick<Terminal, "folder" | "environment" | "platform">;

export function engineNamed(
  { context: { engine } }: Pick<Configuration, "context">,
  terminal: CommandEnvironment,
): PluginSource | string {
  const { folder, environment, platform } = terminal;
  const [project, user] = pluginFolders(folder, environment, platform);
  const own = listPlugins([project]).find(({ name }) => name === engine);
  if (own === undefined || engine === "compressor") return loadEngine(engine, { folders: [user] });
  if ("problem" in own || isAgreedTo(own.folder, terminal)) return loadEngine(engine, { folders: [project, user] });
  // Who names a built-in engine gets it. An alias of one (`lcm`) is another project's name: the plugin may well be meant.
  const other = ENGINE_NAMES.includes(engine) || findPlugin(engine, [user]) !== undefined;
  if (other) return loadEngine(engine, { folders: [user] });
  throw untrusted(own, terminal);
}

export function untrusted(
  { name, folder }: Pick<Plugin, "name" | "folder">,
  terminal: CommandEnvironment,
): PrecisError {
  return new PrecisError(`the plugin "${name}" belongs to the project, and you have not trusted its code`, {
    code: "untrusted_plugin",
    place: shortPath(folder, terminal),
    hint: `Read it; then run \`precis plugins trust ${name}\`, or put it next to your own configuration.`,
  });
}

/** A folder that cannot be agreed to is not. */
export function isAgreedTo(pluginFolder: string, terminal: CommandEnvironment): boolean {
  try {
    return isTrusted(pluginFolder, fingerprintOf(pluginFolder), terminal);
  } catch (error) {
    if (error instanceof PrecisError) return false;
    throw error;
  }
}

/** Throws `unknown_engine`, `untrusted_plugin` or `bad_plugin`. */
export async function withEngine<Result>(
  configuration: Pick<Configuration, "context">,
  terminal: Terminal,
  use: (engine: PluginSource | string) => Promise<Result>,
): Promise<Result> {
  const engine = engineNamed(configuration, terminal);
  try {
    return await use(engine);
  } finally {
    if (typeof engine !== "string") await engine.close();
  }
}
