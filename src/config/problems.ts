/** Problems in a configuration, described so that a person can fix them: the place, the value, what is allowed, the fix. */
import { PrecisError } from "../core/errors.ts";

export interface Problem {
  /** Stable: `unknown_setting`, `unknown_option`, `bad_value`, `bad_yaml`, `conflict`, `two_files`, `unreadable`, `needs_trust`. */
  readonly code:
    | "unknown_setting"
    | "unknown_option"
    | "bad_value"
    | "bad_yaml"
    | "conflict"
    | "two_files"
    | "unreadable"
    | "needs_trust";
  readonly place: string;
  readonly message: string;
  readonly fix: string;
}

export function configurationError(problems: readonly Problem[]): PrecisError {
  const [first] = problems;
  const one = problems.length === 1;
  const message = one
    ? onOneLine(first!.message)
    : `${problems.length} problems in the configuration\n${problems.map(listed).join("\n")}`;
  return new PrecisError(message, {
    code: "bad_configuration",
    place: first!.place,
    hint: one ? first!.fix : "Fix each as described, then run `precis config check`.",
  });
}

function listed({ place, message, fix }: Problem): string {
  return `  ${place}  ${onOneLine(message)}\n    ${fix}`;
}

/** What a file says in its keys begins no line of ours. */
function onOneLine(message: string): string {
  return message.replaceAll("\n", "\\n");
}

/** The candidate that a mistyped name most likely means, if one is near; case and separators do not count. */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = bare(name);
  let best: string | undefined;
  let least = Math.floor(wanted.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, bare(candidate));
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function bare(name: string): string {
  return name
    .slice(0, NAME_CHARS_MAX)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/** Names longer than this are compared by their beginning: the distance below is quadratic. */
const NAME_CHARS_MAX = 60;

/** Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}

/** A file is the project's where it was found, `named` where the person named it, and the user's own. */
type SourceKind = "flag" | "environment" | "project" | "named" | "user" | "default";

export interface StatedSettings {
  readonly path: string;
  readonly value: unknown;
  /** As shown to a person: `precis.yaml:3:14`, `PRECIS_COMPRESSION_THRESHOLD`, `--set`. */
  readonly place: string;
}

export interface Statements {
  readonly stated: readonly StatedSettings[];
  readonly problems: readonly Problem[];
}

export interface Source {
  readonly kind: SourceKind;
  readonly stated: readonly StatedSettings[];
}

/** The source of a setting's value; `place` is `default` if no source states it. */
export interface Provenance {
  readonly kind: SourceKind;
  readonly place: string;
}

const SHOWN_CHARS_MAX = 60;

/** In an address, between the user and the host. */
const PASSWORD = /(:\/\/[^/\s@:]*):[^/\s@]*@/g;

export function shown(value: unknown): string {
  const text =
    value === undefined
      ? "an alias that cannot be followed"
      : typeof value === "number"
        ? String(value)
        : (JSON.stringify(value) ?? `a ${typeof value}`);
  const safe = text.replace(PASSWORD, "$1:…@");
  return safe.length > SHOWN_CHARS_MAX ? `${safe.slice(0, SHOWN_CHARS_MAX)}…` : safe;
}

interface Expected {
  readonly path: string;
  readonly expects: string;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly fits: (value: unknown) => boolean;
}

export function describeBadValue(setting: Expected, { path, value, place }: StatedSettings): Problem {
  // Where a variable's name belongs, a key may have been pasted: it is not repeated.
  const quoted = setting.path.endsWith("_env") ? "something else" : shown(value);
  const message = `\`${path}\` is ${quoted}; expected ${setting.expects}`;
  return { code: "bad_value", place, message, fix: suggestFix(setting, { path, value, place }) };
}

function suggestFix(setting: Expected, one: StatedSettings): string {
  const fits = (candidate: unknown): boolean => candidate !== undefined && setting.fits(candidate);
  const choice = typeof one.value === "string" ? findNearest(one.value, listChoices(setting)) : undefined;
  const meant = [choice, ...guesses(one.value, setting)].find(fits);
  if (meant !== undefined) return `Write \`${spelled(one, meant)}\`.`;
  if (setting.example === undefined) return `Pass ${setting.expects}, or leave it out.`;
  const isDefault = setting.example === setting.default;
  const byDefault = setting.default === undefined ? "" : ` for the default (${written(setting.default)})`;
  const otherwise = isDefault ? "its default" : `or leave it out${byDefault}`;
  return `Write for example \`${spelled(one, setting.example)}\`, ${otherwise}.`;
}

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

function listChoices(setting: Expected): readonly string[] {
  return setting.expects.split("`").filter((_, at) => at % 2 === 1);
}

function guesses(value: unknown, { expects }: Expected): readonly unknown[] {
  const share = typeof value === "number" && value >= PERCENT_MIN && !expects.startsWith("a whole number");
  if (typeof value === "number") return share ? [value / 100, Math.round(value)] : [Math.round(value)];
  if (typeof value !== "string" || value.length > VALUE_CHARS_MAX) return [];
  const match = /^([0-9][0-9_,]*(?:\.[0-9]+)?) ?([kKmM%]?)$/.exec(value.trim());
  if (match === null) return [];
  const number = Number(match[1]!.replaceAll(/[_,]/g, ""));
  const factor = { k: 1_000, m: 1_000_000 }[match[2]!.toLowerCase()];
  return factor === undefined ? [match[2] === "%" ? number / 100 : number] : [Math.round(number * factor)];
}

/** A share of at least this was probably meant in per cent. */
const PERCENT_MIN = 10;
const VALUE_CHARS_MAX = 40;

export function suggestPath(path: string, known: readonly string[]): string | undefined {
  const alike = findNearest(lastKey(path), known.map(lastKey));
  const byKey = (key: string | undefined) => known.find((one) => lastKey(one) === key);
  return findNearest(path, known) ?? byKey(lastKey(path)) ?? findNearest(lastKey(path), known) ?? byKey(alike);
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
