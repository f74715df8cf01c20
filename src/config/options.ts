/** What is wrong with the options of a call, reported as problems of the configuration file are: the place, the value, the fix. */
import { PrecisError } from "../core/errors.ts";
import { describeBadValue, suggestPath, type Problem, shown } from "./problems.ts";
import {
  type EngineSetting,
  type SettingsOfEngine,
  ENGINE_DEFAULTS,
  OWN_SETTINGS,
  type EngineSettings,
} from "../core/engines/settings.ts";

interface Flat {
  readonly sections: Set<string>;
  readonly kinds: Map<string, OptionKind>;
}

/** A check of the options of one call, by its name. What is `undefined` counts as left out. */
export function createOptionsCheck(call: string, options: OptionKinds): (given: unknown) => void {
  let flat: Flat | undefined;
  return (given) => {
    const problems = isObject(given)
      ? [...findProblems(given, "", (flat ??= flattened(options)))]
      : [notOptions(given, call)];
    if (problems.length === 0 && isObject(given)) for (const each of contradictions(given)) problems.push(each);
    const [first] = problems;
    if (first === undefined) return;
    const all = problems.map(({ message, fix }) => (problems.length === 1 ? message : `\n  ${message}\n    ${fix}`));
    throw new PrecisError(`${call}: ${all.join("")}`, { code: "bad_options", place: first.place, hint: first.fix });
  };
}

function contradictions({ settings }: Readonly<Record<string, unknown>>): readonly Problem[] {
  const { contextLength, maxOutputTokens } = isObject(settings) ? settings : {};
  if (typeof contextLength !== "number" || typeof maxOutputTokens !== "number" || maxOutputTokens < contextLength)
    return [];
  const place = "settings.maxOutputTokens";
  const message = `\`${place}\` is ${maxOutputTokens}, which leaves nothing of a window of ${contextLength}`;
  return [{ code: "conflict", place, message, fix: "Lower it, or raise `settings.contextLength`." }];
}

function notOptions(given: unknown, call: string): Problem {
  const message = `the options are ${shown(given)}; expected an object`;
  return { code: "bad_value", place: call, message, fix: "Pass an object of options, or no argument." };
}

function findProblems(given: Readonly<Record<string, unknown>>, prefix: string, flat: Flat): readonly Problem[] {
  return Object.entries(given).flatMap(([key, value]): readonly Problem[] => {
    if (value === undefined) return [];
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (flat.sections.has(path)) return isObject(value) ? findProblems(value, path, flat) : [notSection(path, value)];
    const kind = flat.kinds.get(path);
    if (kind === undefined) return [unknownOption(path, flat)];
    return kind.fits(value) ? [] : [describeBadValue({ ...kind, path }, { path, value, place: path })];
  });
}

function flattened(options: OptionKinds, prefix = "", flat: Flat = { sections: new Set(), kinds: new Map() }): Flat {
  for (const [key, option] of Object.entries(options)) {
    const path = `${prefix}${key}`;
    if (isSection(option)) {
      flat.sections.add(path);
      flattened(option.options, `${path}.`, flat);
    } else flat.kinds.set(path, option);
  }
  return flat;
}

function notSection(path: string, value: unknown): Problem {
  const message = `\`${path}\` is ${shown(value)}; expected an object of options`;
  return { code: "bad_value", place: path, message, fix: `Pass an object, or leave \`${path}\` out.` };
}

function unknownOption(path: string, { sections, kinds }: Flat): Problem {
  const known = [...kinds.keys(), ...sections];
  const meant = suggestPath(path, known);
  const level = path.slice(0, path.lastIndexOf(".") + 1);
  const beside = known.filter((one) => one.startsWith(level) && !one.slice(level.length).includes("."));
  const fix = meant === undefined ? `Remove it. The options are: ${beside.join(", ")}.` : `Did you mean \`${meant}\`?`;
  return { code: "unknown_option", place: path, message: `there is no option \`${path}\``, fix };
}

export interface OptionKind {
  readonly fits: (value: unknown) => boolean;
  /** The accepted values in words, for example `a number from 0 to 1`. */
  readonly expects: string;
  readonly default?: unknown;
  readonly example?: unknown;
}

export interface OptionSection {
  readonly options: OptionKinds;
}

export type OptionKinds = Readonly<Record<string, OptionKind | OptionSection>>;

/** A kind for each option, none forgotten. */
export type Options<Given> = Readonly<Record<keyof Given, OptionKind | OptionSection>>;

export function section<Kinds extends OptionKinds>(options: Kinds): { readonly options: Kinds } {
  return { options };
}

export function makeOption(expects: string, fits: (value: unknown) => boolean): OptionKind {
  return { fits, expects };
}

export const functionOption = makeOption("a function", (value) => typeof value === "function");
export const objectOption = makeOption("an object", isObject);
export const yesOrNo = makeOption("`true` or `false`", (value) => typeof value === "boolean");
export const text = makeOption("a text", (value) => typeof value === "string");
export const nonEmptyText = makeOption("a text", isName);

export function objectWith(expects: string, ...methods: readonly string[]): OptionKind {
  return makeOption(expects, (value) => isObject(value) && methods.every((one) => typeof value[one] === "function"));
}

export function oneOf(...choices: readonly string[]): OptionKind {
  const expects = choices.map((one) => `\`${one}\``).join(" or ");
  return makeOption(expects, (value) => typeof value === "string" && choices.includes(value));
}

interface Range {
  readonly min: number;
  readonly max?: number;
}

export function number(range: Range): OptionKind {
  return numeric("a number", Number.isFinite, range);
}

export function whole(range: Range): OptionKind {
  return numeric("a whole number", Number.isSafeInteger, range);
}

function orNull({ fits, expects, ...rest }: OptionKind): OptionKind {
  return { ...rest, fits: (value) => value === null || fits(value), expects: `${expects}, or \`null\`` };
}

/** The same, with the default value, which is also its example. */
export function withDefault(kind: OptionKind, value: unknown, example = value): OptionKind {
  return { ...kind, default: value, example };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

export function isSection(option: OptionKind | OptionSection): option is OptionSection {
  return "options" in option;
}

function numeric(what: string, isOne: (value: unknown) => boolean, { min, max = Infinity }: Range): OptionKind {
  const range = max === Infinity ? `, ${min} or more` : ` from ${min} to ${max}`;
  return makeOption(`${what}${range}`, (value) => isOne(value) && (value as number) >= min && (value as number) <= max);
}

type Name = Exclude<keyof EngineSettings, "engines">;

function setting(key: Name, kind: OptionKind): OptionKind {
  return withDefault(kind, ENGINE_DEFAULTS[key]);
}

export const contextLengthOption: OptionKind = { ...whole({ min: 1 }), example: ENGINE_DEFAULTS.contextLength };

export const engineSettings = section({
  contextLength: contextLengthOption,
  maxOutputTokens: withDefault(whole({ min: 0 }), ENGINE_DEFAULTS.maxOutputTokens, 8_000),
  threshold: setting("threshold", number({ min: 0, max: 1 })),
  thresholdFloorTokens: withDefault(whole({ min: 0 }), ENGINE_DEFAULTS.thresholdFloorTokens, 64_000),
  targetRatio: setting("targetRatio", number({ min: 0.1, max: 0.8 })),
  protectLastN: setting("protectLastN", whole({ min: 1 })),
  protectFirstN: setting("protectFirstN", whole({ min: 0 })),
  note: setting("note", oneOf("system", "handoff")),
  keepRequests: setting("keepRequests", oneOf("as_fits", "all")),
  template: setting("template", oneOf("thirteen", "seven")),
  preset: setting("preset", oneOf("documented", "current")),
  engines: section(
    Object.fromEntries(Object.entries(OWN_SETTINGS).map(([name, own]) => [name, section(ownOptions(own))])),
  ),
} satisfies Options<Required<Omit<EngineSettings, "sessionThreshold" | "keepRecentTokens">>>);

function ownOptions(own: SettingsOfEngine): OptionKinds {
  return Object.fromEntries(Object.entries(own).map(([key, declared]) => [key, toKind(declared)]));
}

function toKind(declared: EngineSetting): OptionKind {
  const { kind, min, max } = declared;
  const range = { min, ...(max === undefined ? {} : { max }) };
  const figure = kind === "share" ? number(range) : whole(range);
  return withDefault(declared.default === null ? orNull(figure) : figure, declared.default);
}
