/** What is wrong with the options of a call, reported as problems of the configuration file are: the place, the value, the fix. */
import { z } from "zod";
import type { EngineSettings } from "../core/engines/settings.ts";
import { PrecisError } from "../core/errors.ts";
import { badValue, meantBy } from "./diagnose.ts";
import type { Problem } from "./problems.ts";
import { enginesOption } from "./schema-engines.ts";
import { schema } from "./schema.ts";
import { flattenSettings, type SettingList } from "./settings.ts";
import { shown } from "./shown.ts";

const { compression, context, model } = schema.shape;
const { shape: compressed } = compression.unwrap();
const { shape: modelled } = model.unwrap();

/** The engines' settings, by the names that a program uses, none forgotten; ranges and defaults are the configuration's. */
const engineSettingsShape = {
  contextLength: modelled.context_length
    .unwrap()
    .unwrap()
    .meta({ examples: [200_000] }),
  maxOutputTokens: modelled.max_output_tokens,
  threshold: compressed.threshold,
  thresholdFloorTokens: compressed.threshold_floor_tokens,
  targetRatio: compressed.target_ratio,
  protectLastN: compressed.protect_last_n,
  protectFirstN: compressed.protect_first_n,
  note: compressed.note,
  keepRequests: compressed.keep_requests,
  template: compressed.template,
  preset: context.unwrap().shape.preset,
  engines: enginesOption,
} satisfies Record<keyof EngineSettings, z.ZodType>;

export const engineSettings = z.strictObject(engineSettingsShape);

/** A value that no file could hold. */
export function valueOf(expects: string, fits: (value: unknown) => boolean): z.ZodType {
  return z.custom((value) => fits(value)).meta({ "x-expects": expects });
}

export const functionOption = valueOf("a function", (value) => typeof value === "function");
export const objectOption = valueOf("an object", isObject);

/** An object with these methods. */
export function objectWith(expects: string, ...methods: readonly string[]): z.ZodType {
  return valueOf(expects, (value) => isObject(value) && methods.every((name) => typeof value[name] === "function"));
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A check of the options of one call, by its name. What is `undefined` counts as left out. */
export function createOptionsCheck(
  call: string,
  options: Readonly<Record<string, z.ZodType>>,
): (given: unknown) => void {
  let flat: SettingList | undefined;
  return (given) => {
    const problems = isObject(given)
      ? [...problemsIn(given, "", (flat ??= flattenSettings(z.strictObject(options))))]
      : [notOptions(given, call)];
    if (problems.length === 0 && isObject(given)) problems.push(...contradictions(given));
    const [first] = problems;
    if (first === undefined) return;
    const all = problems.map(({ message, fix }) => (problems.length === 1 ? message : `\n  ${message}\n    ${fix}`));
    throw new PrecisError(`${call}: ${all.join("")}`, { code: "bad_options", place: first.place, hint: first.fix });
  };
}

/** As in the configuration: an answer that takes the whole window leaves nothing for a request. */
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

function problemsIn(given: Readonly<Record<string, unknown>>, prefix: string, flat: SettingList): readonly Problem[] {
  const { sections, settings } = flat;
  return Object.entries(given).flatMap(([key, value]): readonly Problem[] => {
    if (value === undefined) return [];
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (sections.some((section) => section.path === path))
      return isObject(value) ? problemsIn(value, path, flat) : [notSection(path, value)];
    const setting = settings.find((one) => one.path === path);
    if (setting === undefined) return [unknownOption(path, flat)];
    return setting.schema.safeParse(value).success ? [] : [badValue(setting, path, value, path)];
  });
}

function notSection(path: string, value: unknown): Problem {
  const message = `\`${path}\` is ${shown(value)}; expected an object of options`;
  return { code: "bad_value", place: path, message, fix: `Pass an object, or leave \`${path}\` out.` };
}

function unknownOption(path: string, { sections, settings }: SettingList): Problem {
  const known = [...settings, ...sections].map((one) => one.path);
  const meant = meantBy(path, known);
  const level = path.slice(0, path.lastIndexOf(".") + 1);
  const beside = known.filter((one) => one.startsWith(level) && !one.slice(level.length).includes("."));
  const fix = meant === undefined ? `Remove it. The options are: ${beside.join(", ")}.` : `Did you mean \`${meant}\`?`;
  return { code: "unknown_option", place: path, message: `there is no option \`${path}\``, fix };
}
