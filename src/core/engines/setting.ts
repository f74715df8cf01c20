/**
 * A setting of an engine, as data: its default, what it accepts and what it means. The library's options, the
 * configuration file, its JSON Schema and the reference follow from it.
 */
export interface NumberSetting<Default extends number | null = number | null> {
  readonly kind: "tokens" | "count" | "share";
  /** `null`: the figure that follows from the window and the preset. */
  readonly default: Default;
  readonly min: number;
  readonly max?: number;
  readonly description: string;
}

export interface ChoiceSetting<Choice extends string = string> {
  readonly kind: "choice";
  readonly default: Choice;
  readonly choices: readonly Choice[];
  readonly description: string;
}

export type EngineSetting = NumberSetting | ChoiceSetting;

/** By the name that a program uses; a file writes it in snake case. */
export type SettingsOfEngine = Readonly<Record<string, EngineSetting>>;

export type ValuesOf<Declared extends SettingsOfEngine> = {
  readonly [Name in keyof Declared]: Declared[Name] extends ChoiceSetting<infer Choice>
    ? Choice
    : Declared[Name]["default"];
};

export function tokens(value: number, description: string, min = 0): NumberSetting<number> {
  return { kind: "tokens", default: value, min, description };
}

/** Tokens that follow from the window and the preset where they are `null`. */
export function derivedTokens(description: string): NumberSetting<number | null> {
  return { kind: "tokens", default: null, min: 0, description };
}

export function count(value: number, description: string, min = 0): NumberSetting<number> {
  return { kind: "count", default: value, min, description };
}

/** A share, from a twentieth up to the whole. */
export function share(value: number, description: string): NumberSetting<number> {
  return { kind: "share", default: value, min: 0.05, max: 1, description };
}

export function choice<Choice extends string>(
  value: NoInfer<Choice>,
  choices: readonly Choice[],
  description: string,
): ChoiceSetting<Choice> {
  return { kind: "choice", default: value, choices, description };
}

export function defaultsOf<Declared extends SettingsOfEngine>(declared: Declared): ValuesOf<Declared> {
  const values = Object.entries(declared).map(([name, setting]) => [name, setting.default]);
  return Object.fromEntries(values) as ValuesOf<Declared>;
}
