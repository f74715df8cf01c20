/** What is wrong inside a mapping of names: a name that cannot be one, a key that nothing reads, a value that cannot be. */
import type { z } from "zod";
import { ENGINE_NAMES } from "../core/engines/names.ts";
import { VENDORS } from "../core/protocols.ts";
import { nearest, type Problem } from "./problems.ts";
import { UPSTREAM_FIELDS } from "./schema-gateway.ts";
import { FIGURES } from "./schema-models.ts";
import type { Setting } from "./settings.ts";
import { shown } from "./shown.ts";
import type { StatedSettings } from "./source.ts";

/** What is below each name of a mapping. */
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

/** Nothing where the value as a whole is wrong, or the setting is no mapping. */
export function problemInside(
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
    const meant = nearest(issue.keys[0]!, keys);
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
