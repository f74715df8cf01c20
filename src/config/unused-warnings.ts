/** What is set but does nothing, because the engine that runs is not the one it is for. */
import { builtInName } from "../core/engines/names.ts";
import { OWN_SETTINGS } from "../core/engines/settings.ts";
import { DEFAULTS } from "./defaults.ts";
import type { Configuration } from "./schema.ts";
import { snakeCase } from "./snake-case.ts";
import type { Warning } from "./warning.ts";

/** Of `compression`, what only the default engine goes by. */
const DEFAULT_ENGINE_ONLY = [
  "threshold",
  "threshold_floor_tokens",
  "target_ratio",
  "protect_last_n",
  "protect_first_n",
  "note",
  "template",
] as const;
const WITH_PRESETS: readonly string[] = ["compressor", "handoff", "stepped"];

/** A plugin is given all settings, and may go by them. */
export function unusedWarnings({ context, compression, engines }: Configuration): readonly Warning[] {
  const running = builtInName(context.engine);
  if (running === undefined) return [];
  const unused =
    running === "compressor"
      ? []
      : DEFAULT_ENGINE_ONLY.filter((name) => compression[name] !== DEFAULTS.compression[name]).map(
          (name) => `compression.${name}`,
        );
  const others = Object.keys(OWN_SETTINGS)
    .filter((name) => name !== running)
    .flatMap((name) => changedIn(engines, snakeCase(name)));
  const preset = context.preset === DEFAULTS.context.preset || WITH_PRESETS.includes(running) ? [] : ["context.preset"];
  const remote = context.remote_compaction === "off" || running === "handoff" ? [] : ["context.remote_compaction"];
  const files = context.files_folder === null || running === "layered" ? [] : ["context.files_folder"];
  return [...unused, ...others, ...preset, ...remote, ...files].map((path) => ({
    code: "setting_unused",
    path,
    message: `set, but the engine \`${running}\` does not use it`,
    fix: fixFor(running),
  }));
}

function changedIn(engines: Configuration["engines"], name: string): readonly string[] {
  const standard = DEFAULTS.engines[name] as Readonly<Record<string, unknown>>;
  const changed = Object.entries(engines[name] as object).filter(([key, value]) => value !== standard[key]);
  return changed.map(([key]) => `engines.${name}.${key}`);
}

function fixFor(running: string): string {
  if (running === "none") return "Remove it, or set context.engine to an engine that compacts.";
  const section = running === "compressor" ? "compression" : `engines.${snakeCase(running)}`;
  return `Remove it. The settings of \`${running}\` are in \`${section}\`.`;
}
