/** The plugins there are, with where each was found and which of them the configuration names. */
import { pluginFolders } from "../config/locate.ts";
import type { Configuration } from "../config/schema.ts";
import { builtInName, ENGINE_NAMES } from "../core/engines/settings.ts";
import { listPlugins } from "../plugins/find.ts";
import { isAgreedTo } from "./engine.ts";
import type { Terminal } from "./terminal.ts";

export interface FoundPlugin {
  readonly name: string;
  /** Null where the manifest is broken. */
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
  /** What is wrong with its manifest. */
  readonly problem: string | null;
}

export interface FoundPlugins {
  /** What `context.engine` says. */
  readonly engine: string;
  /** What that means: a plugin, a built-in engine, or nothing there is. */
  readonly means: "plugin" | "built-in" | "nothing";
  readonly plugins: readonly FoundPlugin[];
  /** Where was looked, in this order. */
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
