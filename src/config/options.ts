/** What is wrong with the options of a call, reported as problems of the configuration file are: the place, the value, the fix. */
import { PrecisError } from "../core/errors.ts";
import { badValue, meantBy } from "./bad-value.ts";
import { isObject, isSection, type OptionKind, type OptionKinds } from "./option-kinds.ts";
import type { Problem } from "./problems.ts";
import { shown } from "./shown.ts";

interface Flat {
  readonly sections: Set<string>;
  readonly kinds: Map<string, OptionKind>;
}

/** A check of the options of one call, by its name. What is `undefined` counts as left out. */
export function createOptionsCheck(call: string, options: OptionKinds): (given: unknown) => void {
  let flat: Flat | undefined;
  return (given) => {
    const problems = isObject(given)
      ? [...problemsIn(given, "", (flat ??= flattened(options)))]
      : [notOptions(given, call)];
    if (problems.length === 0 && isObject(given)) for (const each of contradictions(given)) problems.push(each);
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

function problemsIn(given: Readonly<Record<string, unknown>>, prefix: string, flat: Flat): readonly Problem[] {
  return Object.entries(given).flatMap(([key, value]): readonly Problem[] => {
    if (value === undefined) return [];
    const path = prefix === "" ? key : `${prefix}.${key}`;
    if (flat.sections.has(path)) return isObject(value) ? problemsIn(value, path, flat) : [notSection(path, value)];
    const kind = flat.kinds.get(path);
    if (kind === undefined) return [unknownOption(path, flat)];
    return kind.fits(value) ? [] : [badValue({ ...kind, path }, { path, value, place: path })];
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
  const meant = meantBy(path, known);
  const level = path.slice(0, path.lastIndexOf(".") + 1);
  const beside = known.filter((one) => one.startsWith(level) && !one.slice(level.length).includes("."));
  const fix = meant === undefined ? `Remove it. The options are: ${beside.join(", ")}.` : `Did you mean \`${meant}\`?`;
  return { code: "unknown_option", place: path, message: `there is no option \`${path}\``, fix };
}
