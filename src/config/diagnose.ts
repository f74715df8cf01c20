/** What is wrong with one stated value: what is there, what is allowed, and what was most likely meant. */
import { problemInside } from "./diagnose-mapping.ts";
import { nearest, type Problem } from "./problems.ts";
import { shown } from "./shown.ts";
import { ALIASES, kindOf, SECTIONS, settingAt, SETTINGS, written, type Setting } from "./settings.ts";
import type { StatedSettings } from "./source.ts";

/** What is wrong with one value as it was stated, if anything. */
export function problemOf({ path, value, place }: StatedSettings): Problem | undefined {
  const kind = kindOf(path);
  if (kind === "section") return value === null ? undefined : sectionProblem(path, value, place);
  const setting = settingAt(path);
  if (setting === undefined) return unknown(path, place);
  const read = setting.schema.safeParse(value);
  if (read.success && value !== undefined) return undefined;
  return problemInside({ path, value, place }, setting, read.error?.issues[0]) ?? badValue(setting, path, value, place);
}

function unknown(path: string, place: string): Problem {
  const settings = SETTINGS.map((setting) => setting.path);
  const meant = meantBy(path, [...settings, ...Object.keys(ALIASES), ...SECTIONS.map((section) => section.path)]);
  const fix =
    meant === undefined ? "Remove it; `precis config schema` lists every setting." : `Did you mean \`${meant}\`?`;
  return { code: "unknown_setting", place, message: `there is no setting \`${path}\``, fix };
}

/** The path that was most likely meant by one that nothing has. */
export function meantBy(path: string, known: readonly string[]): string | undefined {
  const alike = nearest(lastKey(path), known.map(lastKey));
  const byKey = (key: string | undefined) => known.find((one) => lastKey(one) === key);
  return nearest(path, known) ?? byKey(lastKey(path)) ?? nearest(lastKey(path), known) ?? byKey(alike);
}

function sectionProblem(path: string, value: unknown, place: string): Problem {
  const inside = SETTINGS.filter((setting) => setting.path.startsWith(`${path}.`)).map((setting) =>
    setting.path.slice(path.length + 1),
  );
  const message = `\`${path}\` is ${shown(value)}; expected a section with settings`;
  return { code: "bad_value", place, message, fix: `Put one of these below it, indented: ${inside.join(", ")}.` };
}

export function badValue(setting: Setting, path: string, value: unknown, place: string): Problem {
  // Where a variable's name belongs, a key may have been pasted: it is not repeated.
  const quoted = setting.path.endsWith("_env") ? "something else" : shown(value);
  const message = `\`${path}\` is ${quoted}; expected ${setting.expects}`;
  return { code: "bad_value", place, message, fix: fixOf(setting, { path, value, place }) };
}

function fixOf(setting: Setting, one: StatedSettings): string {
  const fits = (candidate: unknown): boolean => candidate !== undefined && setting.schema.safeParse(candidate).success;
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

function choicesOf(setting: Setting): readonly string[] {
  return setting.expects.split("`").filter((_, at) => at % 2 === 1);
}

/** What a person may have meant by a number out of range or a number written as text. */
function guesses(value: unknown, { expects }: Setting): readonly unknown[] {
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

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
