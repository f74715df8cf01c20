/** The settings of all built-in engines: what they share, the default engine's, and the others' by the engine's name. */
import { COMPRESSOR_DEFAULTS, type CompressorSettings } from "./compressor/settings.ts";
import { HANDOFF_OWN } from "./handoff/settings.ts";
import { LAYERED_OWN } from "./layered/settings.ts";
import { LOSSLESS_OWN } from "./lossless/settings.ts";
import type { EngineName } from "./names.ts";
import { SACRED_ZONE_OWN } from "./sacred-zone/settings.ts";
import type { SharedSettings, WindowSettings } from "./shared-settings.ts";
import { defaultsOf, type SettingsOfEngine, type ValuesOf } from "./setting.ts";
import { STEPPED_OWN } from "./stepped/settings.ts";

/** Of each engine that has settings of its own under `engines`. Those of `compressor` are under `compression`. */
export const OWN_SETTINGS = {
  "sacred-zone": SACRED_ZONE_OWN,
  handoff: HANDOFF_OWN,
  layered: LAYERED_OWN,
  lossless: LOSSLESS_OWN,
  stepped: STEPPED_OWN,
} satisfies Partial<Record<EngineName, SettingsOfEngine>>;

type OwnSettings = typeof OWN_SETTINGS;

/** What a host says of single engines; what is left out is that engine's default. */
export type EnginesSettings = {
  readonly [Name in keyof OwnSettings]?: Partial<ValuesOf<OwnSettings[Name]>>;
};

/** What a session knows of settings: every engine takes from it what is its own. */
export interface EngineSettings extends CompressorSettings {
  readonly engines?: EnginesSettings;
}

export const ENGINE_DEFAULTS: EngineSettings = {
  ...COMPRESSOR_DEFAULTS,
  engines: {
    "sacred-zone": defaultsOf(SACRED_ZONE_OWN),
    handoff: defaultsOf(HANDOFF_OWN),
    layered: defaultsOf(LAYERED_OWN),
    lossless: defaultsOf(LOSSLESS_OWN),
    stepped: defaultsOf(STEPPED_OWN),
  },
};

/** What each of them calls the newest messages that stay. */
const TAIL_SETTINGS: Readonly<Record<keyof OwnSettings, string>> = {
  "sacred-zone": "recentTokens",
  handoff: "userTokens",
  layered: "tailTokens",
  lossless: "freshTailMaxTokens",
  stepped: "tailTokens",
};

/** What an engine is made with: what all engines share, and what is said of it. */
export function ownSettings<Name extends keyof OwnSettings>(
  name: Name,
  { engines, contextLength, maxOutputTokens, sessionThreshold, keepRecentTokens, preset }: EngineSettings,
): Pick<SharedSettings, keyof WindowSettings | "preset"> & EnginesSettings[Name] {
  const tail = keepRecentTokens === undefined ? {} : { [TAIL_SETTINGS[name]]: keepRecentTokens };
  return { contextLength, maxOutputTokens, sessionThreshold, preset, ...engines?.[name], ...tail };
}
