/** `precis/plugins`: engines of other people, found by name, run in threads of their own. */
import "../platform/refuse-old-node.ts";
export { FAULTS, type FaultKind } from "./fault.ts";
export { listPlugins, PLUGIN_FOLDER, type BrokenPlugin, type Plugin } from "./find.ts";
export { PLUGIN_LIMITS, type PluginLimits } from "./fault.ts";
export { loadEngine, type LoadOptions, type PluginSource } from "./load.ts";
export { registerEngine } from "./registered.ts";
