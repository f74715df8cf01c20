/**
 * The engine that the configuration names, and the plugins there are. A plugin in a project is somebody else's code, found
 * because it is there: it is used only after the person has agreed to it.
 */
import { shortPath } from "../../config/load.ts";
import { pluginFolders } from "../../config/locate.ts";
import type { Configuration } from "../../config/schema.ts";
import { isTrusted } from "../../config/trust.ts";
import { ENGINE_NAMES, builtInName } from "../../core/engines/names.ts";
import { PrecisError } from "../../core/errors.ts";
import { findPlugin, listPlugins, type Plugin, computeFingerprint } from "../../plugins/find.ts";
import { loadEngine, type PluginSource } from "../../plugins/load.ts";
import type { Terminal } from "../screen/terminal.ts";

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
    hint: `Read it; then run \`precis trust ${name} --yes\`, or put it next to your own configuration.`,
  });
}

export function isAgreedTo(pluginFolder: string, terminal: CommandEnvironment): boolean {
  try {
    return isTrusted(pluginFolder, computeFingerprint(pluginFolder), terminal);
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

export interface FoundPlugin {
  readonly name: string;
  readonly version: string | null;
  readonly description: string;
  readonly folder: string;
  readonly from: "project" | "user";
  /** It is the person's own, or its code as it is was agreed to; otherwise it is not used. */
  readonly trusted: boolean;
  /** The configuration names it, and no other plugin of that name comes before it. */
  readonly inForce: boolean;
  /** Another plugin or the built-in engine of that name comes before it. */
  readonly shadowed: boolean;
  readonly problem: string | null;
}

export interface FoundPlugins {
  readonly engine: string;
  /** What that means: a plugin, a built-in engine, or nothing there is. */
  readonly means: "plugin" | "built-in" | "nothing";
  readonly plugins: readonly FoundPlugin[];
  readonly folders: readonly string[];
  readonly builtIn: readonly string[];
}

export function pluginsFound({ context: { engine } }: Configuration, terminal: Terminal): FoundPlugins {
  const folders = pluginFolders(terminal.folder, terminal.environment, terminal.platform);
  const seen = new Set(["compressor"]);
  const plugins = folders.flatMap((folder, at) =>
    listPlugins([folder]).map((plugin): FoundPlugin => {
      const { name } = plugin;
      const shadowed = seen.has(name);
      const broken = "problem" in plugin;
      const trusted = at === 1 || broken || isAgreedTo(plugin.folder, terminal);
      if (trusted) seen.add(name);
      return {
        name,
        version: broken ? null : plugin.version,
        description: broken ? "" : plugin.description,
        folder: plugin.folder,
        from: at === 0 ? "project" : "user",
        trusted,
        inForce: name === engine && trusted && !shadowed,
        shadowed,
        problem: broken ? plugin.problem : null,
      };
    }),
  );
  const isPlugin = plugins.some(({ inForce }) => inForce);
  const means = isPlugin ? "plugin" : builtInName(engine) === undefined ? "nothing" : "built-in";
  return { engine, means, plugins, folders, builtIn: ENGINE_NAMES };
}
