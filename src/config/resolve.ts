/**
 * Sources laid over one another: flags over environment over the project's file over the user's file over the
 * defaults. Pure; every source is checked whole, and each value of the result knows where it came from.
 */
import { DEFAULTS } from "./defaults.ts";
import { problemOf } from "./diagnose.ts";
import type { Problem } from "./problems.ts";
import type { Configuration } from "./schema.ts";
import { ALIASES, settingAt, SETTINGS, valueAt } from "./settings.ts";
import { shown } from "./shown.ts";
import type { Provenance, Source, StatedSettings } from "./source.ts";

export interface Resolved {
  readonly configuration: Configuration;
  /** For each setting's path, where its value came from. */
  readonly provenance: ReadonlyMap<string, Provenance>;
  readonly problems: readonly Problem[];
}

/** Sources from the weakest to the strongest. Values that are wrong are left out and reported in `problems`. */
export function resolve(sources: readonly Source[]): Resolved {
  const configuration = structuredClone(DEFAULTS) as Configuration;
  const provenance = new Map<string, Provenance>(
    SETTINGS.map(({ path }) => [path, { kind: "default", place: "default" }]),
  );
  const problems: Problem[] = [];
  for (const { kind, stated } of sources) {
    for (const { path, value, place } of settled(stated, problems)) {
      const whole = isMapping(value) ? { ...value, ...(valueAt(configuration, path) as object), ...value } : value;
      assign(configuration, path, whole);
      provenance.set(path, { kind, place });
    }
  }
  for (const each of contradictions(configuration, provenance)) problems.push(each);
  return { configuration, provenance, problems };
}

const PROBLEMS_MAX = 20;

/** The good values of one source under their settings' own names; two names of one setting must agree. */
function settled(stated: readonly StatedSettings[], problems: Problem[]): readonly StatedSettings[] {
  const values = new Map<string, StatedSettings & { as: string }>();
  for (const one of stated) {
    const setting = settingAt(one.path);
    // Whoever has that many names wrong is helped by the first of them, and to find what each may mean takes time.
    if (setting === undefined && problems.length >= PROBLEMS_MAX) continue;
    const found = problemOf(one);
    if (found !== undefined) problems.push(found);
    if (found !== undefined || setting === undefined) continue;
    const earlier = values.get(setting.path);
    const same = earlier === undefined || earlier.as === one.path || earlier.value === one.value;
    if (!same) problems.push(conflict(one, earlier));
    values.set(setting.path, { ...one, path: setting.path, as: one.path });
  }
  return [...values.values()];
}

function conflict(one: StatedSettings, earlier: StatedSettings & { as: string }): Problem {
  const message = `\`${one.path}\` is ${shown(one.value)}, but \`${earlier.as}\` (${earlier.place}) is ${shown(earlier.value)}, and both name one setting`;
  return {
    code: "conflict",
    place: one.place,
    message,
    fix: `Keep \`${ALIASES[one.path] ?? one.path}\` and remove the other.`,
  };
}

function contradictions({ model }: Configuration, provenance: ReadonlyMap<string, Provenance>): readonly Problem[] {
  if (model.context_length === null || model.max_output_tokens < model.context_length) return [];
  const place = provenance.get("model.max_output_tokens")!.place;
  const message = `\`model.max_output_tokens\` is ${model.max_output_tokens}, which leaves nothing of a window of ${model.context_length}`;
  return [{ code: "conflict", place, message, fix: "Lower it, or raise `model.context_length`." }];
}

/** A mapping of names is laid over a weaker source's name by name, as settings are one by one; the stronger names come first. */
function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function assign(configuration: Configuration, path: string, value: unknown): void {
  const keys = path.split(".");
  let at = configuration as unknown as Record<string, unknown>;
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>;
  at[keys.at(-1)!] = value;
}
