/** The engine that the configuration names, as a door takes it: a plugin's threads end with the command. */
import { pluginFolders } from "../config/locate.ts";
import type { Configuration } from "../config/schema.ts";
import { loadEngine, type PluginSource } from "../plugins/load.ts";
import type { Terminal } from "./terminal.ts";

function engineNamed(
  { context }: Pick<Configuration, "context">,
  { folder, environment, platform }: Terminal,
): PluginSource | string {
  return loadEngine(context.engine, { folders: pluginFolders(folder, environment, platform) });
}

/** Throws `unknown_engine` or `bad_plugin`. */
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
