/** What is wrong with one value, in words: what is there, what is allowed, and what was most likely meant. */
import { nearest, type Problem } from "./problems.ts";
import { shown } from "./shown.ts";
import type { StatedSettings } from "./source.ts";

/** A setting or an option, as far as messages need it. */
export interface Expected {
  readonly path: string;
  readonly expects: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly fits: (value: unknown) => boolean;
}

export function badValue(setting: Expected, { path, value, place }: StatedSettings): Problem {
  // Where a variable's name belongs, a key may have been pasted: it is not repeated.
  const quoted = setting.path.endsWith("_env") ? "something else" : shown(value);
  const message = `\`${path}\` is ${quoted}; expected ${setting.expects}`;
  return { code: "bad_value", place, message, fix: fixOf(setting, { path, value, place }) };
}

function fixOf(setting: Expected, one: StatedSettings): string {
  const fits = (candidate: unknown): boolean => candidate !== undefined && setting.fits(candidate);
  const choice = typeof one.value === "string" ? nearest(one.value, choicesOf(setting)) : undefined;
  const meant = [choice, ...guesses(one.value, setting)].find(fits);
  if (meant !== undefined) return `Write \`${spelled(one, meant)}\`.`;
  if (setting.example === undefined) return `Pass ${setting.expects}, or leave it out.`;
  const isDefault = setting.example === setting.default;
  const byDefault = setting.default === undefined ? "" : ` for the default (${written(setting.default)})`;
  const otherwise = isDefault ? "its default" : `or leave it out${byDefault}`;
  return `Write for example \`${spelled(one, setting.example)}\`, ${otherwise}.`;
}

/** A setting as its own source writes it. */
function spelled({ path, place }: StatedSettings, value: unknown): string {
  if (place.startsWith("PRECIS_")) return `${place}=${written(value)}`;
  if (place.startsWith("--"))
    return place === "--set" ? `--set ${path}=${written(value)}` : `${place} ${written(value)}`;
  return `${lastKey(path)}: ${written(value)}`;
}

/** A value as files and pages write it; a mapping in one line. */
export function written(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function choicesOf(setting: Expected): readonly string[] {
  return setting.expects.split("`").filter((_, at) => at % 2 === 1);
}

/** What a person may have meant by a number out of range or a number written as text. */
function guesses(value: unknown, { expects }: Expected): readonly unknown[] {
  const share = typeof value === "number" && value >= PERCENT_MIN && !expects.startsWith("a whole number");
  if (typeof value === "number") return share ? [value / 100, Math.round(value)] : [Math.round(value)];
  if (typeof value !== "string" || value.length > NUMBER_CHARS_MAX) return [];
  const match = /^([0-9][0-9_,]*(?:\.[0-9]+)?) ?([kKmM%]?)$/.exec(value.trim());
  if (match === null) return [];
  const number = Number(match[1]!.replaceAll(/[_,]/g, ""));
  const factor = { k: 1_000, m: 1_000_000 }[match[2]!.toLowerCase()];
  return factor === undefined ? [match[2] === "%" ? number / 100 : number] : [Math.round(number * factor)];
}

/** A share of at least this was probably meant in per cent. */
const PERCENT_MIN = 10;
const NUMBER_CHARS_MAX = 40;

/** The path that was most likely meant by one that nothing has. */
export function meantBy(path: string, known: readonly string[]): string | undefined {
  const alike = nearest(lastKey(path), known.map(lastKey));
  const byKey = (key: string | undefined) => known.find((one) => lastKey(one) === key);
  return nearest(path, known) ?? byKey(lastKey(path)) ?? nearest(lastKey(path), known) ?? byKey(alike);
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
