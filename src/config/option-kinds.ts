/**
 * What an option of a call may be, as plain functions: the library's entries check their options in a browser as well,
 * where the configuration's validator would weigh more than the rest.
 */

/** A single value: whether one fits, and what messages say of it. */
export interface OptionKind {
  readonly fits: (value: unknown) => boolean;
  /** The accepted values in words, for example `a number from 0 to 1`. */
  readonly expects: string;
  readonly default?: unknown;
  readonly example?: unknown;
}

/** Options inside an option. */
export interface OptionSection {
  readonly options: OptionKinds;
}

export type OptionKinds = Readonly<Record<string, OptionKind | OptionSection>>;

/** A kind for each option, none forgotten. */
export type Options<Given> = Readonly<Record<keyof Given, OptionKind | OptionSection>>;

export function section<Kinds extends OptionKinds>(options: Kinds): { readonly options: Kinds } {
  return { options };
}

/** A value that no file could hold. */
export function valueOf(expects: string, fits: (value: unknown) => boolean): OptionKind {
  return { fits, expects };
}

export const functionOption = valueOf("a function", (value) => typeof value === "function");
export const objectOption = valueOf("an object", isObject);
export const yesOrNo = valueOf("`true` or `false`", (value) => typeof value === "boolean");
export const text = valueOf("a text", (value) => typeof value === "string");
export const nonEmptyText = valueOf("a text", isName);

/** An object with these methods. */
export function objectWith(expects: string, ...methods: readonly string[]): OptionKind {
  return valueOf(expects, (value) => isObject(value) && methods.every((one) => typeof value[one] === "function"));
}

export function oneOf(...choices: readonly string[]): OptionKind {
  const expects = choices.map((one) => `\`${one}\``).join(" or ");
  return valueOf(expects, (value) => typeof value === "string" && choices.includes(value));
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

export function orNull({ fits, expects, ...rest }: OptionKind): OptionKind {
  return { ...rest, fits: (value) => value === null || fits(value), expects: `${expects}, or \`null\`` };
}

/** The same, with the value that counts where it is left out, which is its example too. */
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
  return valueOf(`${what}${range}`, (value) => isOne(value) && (value as number) >= min && (value as number) <= max);
}
