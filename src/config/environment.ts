/**
 * The environment as a source: `PRECIS_` and a setting's path, upper case, with underscores for dots. A text is taken
 * as it is if the setting is a text, as one entry or as JSON if it is a list, and as JSON if it is a mapping;
 * elsewhere it is read as a number, `true`, `false` or `null`.
 */
import { isTooDeep } from "../core/nesting.ts";
import { findNearest, type Problem, type StatedSettings, type Statements } from "./problems.ts";
import { ALIASES, SECTIONS, settingAt, SETTINGS, toVariable } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

const pathOf = new Map(
  [...SETTINGS.map(({ path }) => path), ...Object.keys(ALIASES)].map((path) => [toVariable(path), path]),
);
const sectionPrefixes = SECTIONS.map(({ path }) => `${toVariable(path)}_`);

/** Variables set to nothing count as not set. */
export function readEnvironment(environment: Environment): Statements {
  const stated: StatedSettings[] = [];
  const problems: Problem[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    if (text === undefined || text === "" || !variable.startsWith("PRECIS_")) continue;
    const path = pathOf.get(variable);
    if (path !== undefined) stated.push({ path, value: valueFor(path, text), place: variable });
    else if (sectionPrefixes.some((prefix) => variable.startsWith(prefix))) problems.push(unknownVariable(variable));
  }
  return { stated, problems };
}

export function valueFor(path: string, text: string): unknown {
  const setting = settingAt(path);
  const scalar = parseScalar(text);
  const list = parseList(text);
  const mapping = text.startsWith("{") ? parseStructure(text) : undefined;
  if (mapping !== undefined) return mapping;
  if (setting?.schema.safeParse(list).success === true) return list;
  if (setting === undefined || scalar === null) return scalar;
  return setting.schema.safeParse(text).success ? text : scalar;
}

/** A list is written as JSON; a text alone is a list of one. */
function parseList(text: string): unknown {
  return parseStructure(text) ?? [text];
}

function parseStructure(text: string): unknown {
  try {
    const value = /^[[{]/.test(text) ? (JSON.parse(text) as unknown) : undefined;
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function parseScalar(text: string): unknown {
  if (text === "null") return null;
  if (text === "true" || text === "false") return text === "true";
  return /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/.test(text) ? Number(text) : text;
}

function unknownVariable(variable: string): Problem {
  const meant = findNearest(variable, [...pathOf.keys()]);
  const fix =
    meant === undefined ? "Unset it; docs/configuration.md lists every variable." : `Did you mean \`${meant}\`?`;
  return { code: "unknown_setting", place: variable, message: `no setting is named by the variable ${variable}`, fix };
}
