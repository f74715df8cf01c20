/**
 * The engines' settings by the names that a program uses. A test holds the ranges, defaults and examples against the
 * configuration's schema, which a file's are checked by.
 */
import {
  type EngineSetting,
  type SettingsOfEngine,
  ENGINE_DEFAULTS,
  OWN_SETTINGS,
  type EngineSettings,
} from "../core/engines/settings.ts";
import {
  oneOf,
  number,
  orNull,
  section,
  whole,
  withDefault,
  type OptionKind,
  type OptionKinds,
  type Options,
} from "./option-kinds.ts";

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
  return Object.fromEntries(Object.entries(own).map(([key, declared]) => [key, kindOf(declared)]));
}

function kindOf(declared: EngineSetting): OptionKind {
  if (declared.kind === "choice") return withDefault(oneOf(...declared.choices), declared.default);
  const { kind, min, max } = declared;
  const range = { min, ...(max === undefined ? {} : { max }) };
  const figure = kind === "share" ? number(range) : whole(range);
  return withDefault(declared.default === null ? orNull(figure) : figure, declared.default);
}
