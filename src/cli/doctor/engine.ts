/** The engine: whether what `context.engine` names is there. A plugin's manifest is read, and none of its code is run. */
import { shortPath } from "../../config/load.ts";
import { pluginsFound } from "../plugins-found.ts";
import type { Examination } from "./examination.ts";
import { fault, fine, type Finding } from "./finding.ts";

export function checkEngineNamed({ loaded, terminal }: Examination): readonly Finding[] {
  const { engine, means, plugins, folders } = pluginsFound(loaded.configuration, terminal);
  const plugin = plugins.find(({ inForce }) => inForce);
  if (plugin?.problem != null)
    return [
      fault("configuration", "plugin_broken", {
        says: `context.engine names the plugin ${engine}, which cannot be used: ${plugin.problem}`,
        fix: `Fix ${shortPath(plugin.folder, terminal)}; docs/engines/plugins.md shows what belongs there.`,
      }),
    ];
  if (plugin !== undefined)
    return [
      fine(
        "configuration",
        "plugin",
        `engine: the plugin ${engine} ${plugin.version} in ${shortPath(plugin.folder, terminal)}`,
      ),
    ];
  const untrusted = plugins.find(({ name, trusted }) => name === engine && !trusted);
  if (untrusted !== undefined && means === "nothing")
    return [
      fault("configuration", "plugin_untrusted", {
        says: `context.engine names the project's plugin ${engine}, and you have not trusted its code`,
        fix: `Read ${shortPath(untrusted.folder, terminal)}; then run \`precis plugins trust ${engine}\`.`,
      }),
    ];
  if (means === "built-in") return [];
  const places = folders.map((folder) => shortPath(folder, terminal)).join(" or ");
  return [
    fault("configuration", "engine_unknown", {
      says: `context.engine is ${engine}, which is neither built in nor a plugin in ${places}`,
      fix: "`precis plugins` lists the plugins.",
    }),
  ];
}
