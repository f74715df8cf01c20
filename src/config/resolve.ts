/**
 * Sources laid over one another: flags over environment over the project's file over the user's file over the
 * defaults. Pure; every source is checked whole, and each value of the result knows where it came from.
 */
import { DEFAULTS } from "./defaults.ts";
import {
  type Problem,
  findNearest,
  type Provenance,
  type Source,
  type StatedSettings,
  shown,
  describeBadValue,
  suggestPath,
} from "./problems.ts";
import type { Configuration } from "./schema.ts";
import { ALIASES, settingAt, SETTINGS, valueAt, fits, findKind, SECTIONS, type Setting } from "./settings.ts";
import type { z } from "zod";
import { ENGINE_NAMES } from "../core/engines/names.ts";
import { VENDORS } from "../core/protocols.ts";
import { UPSTREAM_FIELDS } from "./schema-gateway.ts";
import { FIGURES } from "./schema-models.ts";

export interface Resolved {
  readonly configuration: Configuration;
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
    const found = findProblem(one);
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

function findProblem({ path, value, place }: StatedSettings): Problem | undefined {
  const kind = findKind(path);
  if (kind === "section") return value === null ? undefined : sectionProblem(path, value, place);
  const setting = settingAt(path);
  if (setting === undefined) return unknown(path, place);
  const read = setting.schema.safeParse(value);
  if (read.success && value !== undefined) return undefined;
  const stated = { path, value, place };
  return (
    problemInside(stated, setting, read.error?.issues[0]) ??
    describeBadValue({ ...setting, fits: fits(setting) }, stated)
  );
}

function unknown(path: string, place: string): Problem {
  const settings = SETTINGS.map((setting) => setting.path);
  const meant = suggestPath(path, [...settings, ...Object.keys(ALIASES), ...SECTIONS.map((section) => section.path)]);
  const fix =
    meant === undefined
      ? "Remove it; `precis config init --schema` lists every setting."
      : `Did you mean \`${meant}\`?`;
  return { code: "unknown_setting", place, message: `there is no setting \`${path}\``, fix };
}

function sectionProblem(path: string, value: unknown, place: string): Problem {
  const inside = SETTINGS.filter((setting) => setting.path.startsWith(`${path}.`)).map((setting) =>
    setting.path.slice(path.length + 1),
  );
  const message = `\`${path}\` is ${shown(value)}; expected a section with settings`;
  return { code: "bad_value", place, message, fix: `Put one of these below it, indented: ${inside.join(", ")}.` };
}

interface Entries {
  readonly keys: readonly string[];
  readonly called: string;
  readonly expects: (key: string) => string;
  readonly fix: string;
}

const FIGURES_OF_MODELS: Entries = {
  keys: FIGURES,
  called: "figures",
  expects: (key) => {
    if (key === "threshold") return "a share of the window between 0 and 1";
    if (key === "engine") return `one of ${ENGINE_NAMES.join(", ")}`;
    return key.endsWith("usd_per_mtok") ? "US dollars per million tokens, 0 or more" : "a whole number, 1 or more";
  },
  fix: "Write the number alone, or leave the line out.",
};

const UPSTREAMS: Entries = {
  keys: UPSTREAM_FIELDS,
  called: "settings",
  expects: (key) =>
    key === "url"
      ? "an http(s) address without credentials, query or fragment"
      : `one of ${VENDORS.map((name) => `\`${name}\``).join(", ")}`,
  fix: "Write for example `url: http://127.0.0.1:8080`; clients send their own keys, which are forwarded.",
};

const ENTRIES: Readonly<Record<string, Entries>> = { models: FIGURES_OF_MODELS, "gateway.upstreams": UPSTREAMS };

/** Nothing if the value as a whole is wrong, or the setting is no mapping. */
function problemInside(
  { path, value, place }: StatedSettings,
  setting: Setting,
  issue: z.core.$ZodIssue | undefined,
): Problem | undefined {
  const entries = ENTRIES[setting.path];
  const [name, key] = (issue?.path ?? []).map(String);
  if (entries === undefined || issue === undefined || name === undefined) return undefined;
  const { keys, called, expects } = entries;
  const inside = `${path}.${name}`;
  if (issue.code === "invalid_key") {
    const message = `\`${path}\` has the name ${shown(name)}; expected small letters, digits, \`-\` and \`_\`, 32 at most`;
    return { code: "bad_value", place, message, fix: "It is part of addresses: write for example `local`." };
  }
  if (issue.code === "unrecognized_keys") {
    const meant = findNearest(issue.keys[0]!, keys);
    const fix = meant === undefined ? `One of: ${keys.join(", ")}.` : `Did you mean \`${meant}\`?`;
    return { code: "unknown_setting", place, message: `\`${inside}\` cannot say \`${issue.keys[0]}\``, fix };
  }
  const entry = (value as Record<string, unknown>)[name];
  if (key === undefined) {
    const message = `\`${inside}\` is ${shown(entry)}; expected ${called} below it`;
    return { code: "bad_value", place, message, fix: `Put one of these below it, indented: ${keys.join(", ")}.` };
  }
  const stated = (entry as Record<string, unknown>)[key];
  const message = `\`${inside}.${key}\` is ${quoted(stated)}; expected ${expects(key)}`;
  return { code: "bad_value", place, message, fix: entries.fix };
}

/** What may hold a password is not repeated. */
function quoted(value: unknown): string {
  if (value === undefined) return "missing";
  return typeof value === "string" && value.includes("@") ? "an address with credentials" : shown(value);
}
