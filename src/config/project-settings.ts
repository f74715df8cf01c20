/**
 * What the file of a project may set by itself: how much is compacted, and when. Whoever wrote the project wrote the file,
 * and it is read wherever somebody stands, so it says nothing of addresses, models to ask, keys, code, files or who shares
 * what. A setting that is not listed is not allowed.
 */
import { builtInName } from "../core/engines/names.ts";
import type { Problem, StatedSettings, Statements } from "./problems.ts";
import { settingAt } from "./settings.ts";

export const PROJECT_SETTINGS: ReadonlySet<string> = new Set([
  "model.context_length",
  "model.max_output_tokens",
  "models",
  "context.engine",
  "context.preset",
  "compression.enabled",
  "compression.mode",
  "compression.threshold",
  "compression.target_ratio",
  "compression.protect_last_n",
  "compression.protect_first_n",
  "compression.note",
  "compression.template",
  "compression.keep_requests",
  "compression.schedule",
  "compression.ingest_limit_tokens",
  "compression.model_tool",
  "compression.room_tool",
  "prompt_caching.enabled",
  "prompt_caching.strategy",
  "prompt_caching.cache_ttl",
  "recall.tool",
]);

export function selectAllowed(stated: readonly StatedSettings[], label: string): Statements {
  const refused = stated.filter((one) => !isAllowed(one));
  return {
    stated: stated.filter(isAllowed),
    problems: refused.map((one) => needsTrust(one, label)),
  };
}

/** What is no setting sets nothing, and is reported as a mistake, whoever wrote it. */
function isAllowed({ path, value }: StatedSettings): boolean {
  const name = settingAt(path)?.path;
  if (name === undefined) return true;
  if (name === "context.engine") return typeof value !== "string" || builtInName(value) !== undefined;
  return PROJECT_SETTINGS.has(name);
}

function needsTrust({ path, place }: StatedSettings, label: string): Problem {
  const what = path === "context.engine" ? "`context.engine` to a plugin" : `\`${path}\``;
  return {
    code: "needs_trust",
    place,
    message: `the project's file sets ${what}, which needs your consent`,
    fix: `Read ${label}; then run \`precis trust ${label} --yes\`, or set it in your own configuration, by a flag or in the environment.`,
  };
}
