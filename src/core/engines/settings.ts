/**
 * The settings of all engines, as data. The library's options, the configuration file, its JSON Schema and the reference
 * follow from them.
 */
import type { EngineName } from "./names.ts";
import type { TemplateName } from "../handoff/templates.ts";

/** Which edition of an engine's policy holds. */
type Preset = "documented" | "current";

/** From where on one session is compacted, as a person set it: a share of the window, or tokens. */
export type SessionThreshold = { readonly share: number } | { readonly tokens: number };

export interface WindowSettings {
  /** The model's window in tokens. */
  readonly contextLength: number;
  /** Output tokens a request reserves inside the window. */
  readonly maxOutputTokens: number;
  /** In place of what the engine would choose; set for single sessions, never by configuration. */
  readonly sessionThreshold?: SessionThreshold | undefined;
  /** Tokens of the newest messages that stay word for word, in place of the engine's own figure; set for single models. */
  readonly keepRecentTokens?: number | undefined;
}

interface SharedSettings extends WindowSettings {
  /** Of the engines that have two: as it was described in 2026 (docs/sources.md), or as its original does it today. */
  readonly preset: Preset;
  /**
   * `as_fits`: of older requests of the user, what fits stays, and the rest can be recalled. `all`: every one stays word for
   * word, and a compaction that has no room for them is refused. A session sees to it, whatever the engine.
   */
  readonly keepRequests: "as_fits" | "all";
}

const WINDOW_DEFAULTS: WindowSettings = { contextLength: 200_000, maxOutputTokens: 0 };

const SHARED_DEFAULTS: SharedSettings = { ...WINDOW_DEFAULTS, preset: "documented", keepRequests: "as_fits" };

/** One setting: its default, what it accepts and what it means. */
export interface EngineSetting<Default extends number | null = number | null> {
  readonly kind: "tokens" | "count" | "share";
  /** `null`: the figure that follows from the window and the preset. */
  readonly default: Default;
  readonly min: number;
  readonly max?: number;
  readonly description: string;
}

/** By the name that a program uses; a file writes it in snake case. */
export type SettingsOfEngine = Readonly<Record<string, EngineSetting>>;

type ValuesOf<Declared extends SettingsOfEngine> = {
  readonly [Name in keyof Declared]: Declared[Name]["default"];
};

function tokens(value: number, description: string, min = 0): EngineSetting<number> {
  return { kind: "tokens", default: value, min, description };
}

/** Tokens that follow from the window and the preset where they are `null`. */
function derivedTokens(description: string): EngineSetting<number | null> {
  return { kind: "tokens", default: null, min: 0, description };
}

function count(value: number, description: string, min = 0): EngineSetting<number> {
  return { kind: "count", default: value, min, description };
}

/** A share, from a twentieth up to the whole. */
function share(value: number, description: string): EngineSetting<number> {
  return { kind: "share", default: value, min: 0.05, max: 1, description };
}

/** Names, ranges and defaults are those of the Hermes Agent docs; docs/engines/compressor.md says what is ours. */
export interface CompressorSettings extends SharedSettings {
  /** Share of the window at which the in-loop compaction triggers. */
  readonly threshold: number;
  /** Least threshold in tokens; 0 is off (64,000 in Zhang 2026). */
  readonly thresholdFloorTokens: number;
  /** Share of the threshold kept verbatim as tail. */
  readonly targetRatio: number;
  /** Messages of the tail that are honoured while they fit the soft ceiling. */
  readonly protectLastN: number;
  /** Messages after the system prompt that are kept verbatim. */
  readonly protectFirstN: number;
  /** Where the model is told that its transcript was rewritten. */
  readonly note: "system" | "handoff";
  /** Sections of the handoff: the thirteen of Zhang 2026, or the seven of the Hermes Agent docs. */
  readonly template: TemplateName;
}

export const COMPRESSOR_DEFAULTS: CompressorSettings = {
  ...SHARED_DEFAULTS,
  threshold: 0.5,
  thresholdFloorTokens: 0,
  targetRatio: 0.2,
  protectLastN: 20,
  protectFirstN: 3,
  note: "system",
  template: "thirteen",
};

/** Of each engine that has settings of its own under `engines`. Those of `compressor` are under `compression`. */
export const OWN_SETTINGS = {
  // Dual Compression chapter, 16.2, 16.3 and 16.7.
  "sacred-zone": {
    triggerShare: share(0.75, "Compacts above this share of the window."),
    targetShare: share(
      0.5,
      "A compaction ends at or below this share of the window, if it compacts at `trigger_share`; otherwise in proportion.",
    ),
    recentTokens: tokens(20_000, "Tokens of the newest messages that are kept unchanged; at most 0.4 of the target."),
    summaryWords: count(300, "Maximum number of words of the summary that a session restarts from.", 50),
  },
  // IA al Día 2026; `current`: Codex CLI 0.169.
  handoff: {
    triggerShare: share(0.9, "Compacts from this share of the window."),
    triggerTokens: tokens(0, "Compacts from this many tokens if that is earlier than `trigger_share`; 0 is off."),
    resultShare: share(
      0.5,
      "Target size of a result, as a share of the window, if it compacts at `trigger_share`; otherwise in proportion.",
    ),
    userTokens: derivedTokens(
      "Tokens of the user's newest messages that are kept word for word. `null`: all of them, or 20,000 with the preset `current`.",
    ),
    remoteUserTokens: derivedTokens(
      "The same with a compaction by the provider itself. `null`: `user_tokens`, or 64,000 with the preset `current`.",
    ),
  },
  // IA al Día 2026; observed in Claude Code 2.1.
  layered: {
    reservedTokens: tokens(
      20_000,
      "Tokens of the window reserved for writing a summary, unless more is reserved for output; also the maximum size of a summary.",
    ),
    triggerMarginTokens: tokens(
      13_000,
      "Compacts this many tokens below the rest of the window, at half of it at the earliest.",
    ),
    keptResults: count(3, "Number of newest tool results that are never cleared."),
    tailTokens: tokens(
      10_000,
      "Tokens of the newest messages that are kept verbatim after a summary; at most 0.05 of the window.",
    ),
    restoredTokens: tokens(
      50_000,
      "Tokens of instructions, skills and files that are restored after a summary; at most a quarter of the window.",
    ),
    restoredFiles: count(5, "Maximum number of restored files."),
    restoredFileTokens: tokens(5_000, "Maximum tokens of each restored piece."),
    failuresMax: count(
      3,
      "The engine stops after this many consecutive compactions that failed or had to be repeated at once.",
      1,
    ),
  },
  // Those of lossless-claw, the engine that the Hermes Agent docs mean by their example `lcm`.
  lossless: {
    contextThreshold: share(0.75, "Compacts above this share of the window."),
    freshTailCount: count(64, "Number of newest messages that are kept unchanged if they fit `fresh_tail_max_tokens`."),
    freshTailMaxTokens: tokens(
      24_000,
      "Tokens of the newest messages that are kept unchanged; at most a quarter of the usable window.",
    ),
    leafChunkTokens: tokens(20_000, "Maximum tokens of the conversation in one leaf.", 1_000),
    leafTargetTokens: tokens(2_400, "Tokens of a leaf.", 100),
    condensedTargetTokens: tokens(2_000, "Tokens of a node above leaves.", 100),
    leafMinFanout: count(8, "Number of messages that make a leaf, however few tokens they have.", 1),
    condensedMinFanout: count(4, "Number of nodes of one depth that are merged into one.", 2),
    condensedMinFanoutHard: count(2, "The same if nothing else is left to condense.", 2),
  },
  // IA al Día 2026; `current`: OpenCode 1.18.
  stepped: {
    marginTokens: tokens(
      20_000,
      "Compacts this many tokens below the usable window, or the reserved output below it if that is less.",
    ),
    hideTokensMin: derivedTokens(
      "Old results are hidden only if that frees more than this many tokens. `null`: 20,000; with the preset `current` nothing is hidden.",
    ),
    protectedTokens: tokens(40_000, "The newest results up to this many tokens are never hidden."),
    protectedTurns: count(2, "Number of newest user turns whose results are never hidden."),
    resultShare: share(0.5, "Target size of a summary and the messages next to it, as a share of the usable window."),
    tailTokens: derivedTokens(
      "Tokens of the newest messages that are kept next to a summary. `null`: none; with the preset `current` a quarter of the window, from 2,000 to 15,000.",
    ),
  },
} satisfies Partial<Record<EngineName, SettingsOfEngine>>;

type OwnSettings = typeof OWN_SETTINGS;
type OwnValues<Name extends keyof OwnSettings> = ValuesOf<OwnSettings[Name]>;

function pickDefaults<Name extends keyof OwnSettings>(name: Name): OwnValues<Name> {
  const values = Object.entries<EngineSetting>(OWN_SETTINGS[name]).map(([key, setting]) => [key, setting.default]);
  return Object.fromEntries(values) as OwnValues<Name>;
}

export interface SacredZoneSettings extends WindowSettings, OwnValues<"sacred-zone"> {}
export interface LayeredSettings extends WindowSettings, OwnValues<"layered"> {}
export interface LosslessSettings extends WindowSettings, OwnValues<"lossless"> {}

export interface HandoffSettings extends WindowSettings, OwnValues<"handoff"> {
  /**
   * `documented`: IA al Día 2026, which keeps every message of a person; results that the model has not read yet stay,
   * too. `current`: as Codex does it today, all but a person's newest messages goes, and the provider's own compaction
   * leaves more of these.
   */
  readonly preset: Preset;
}

export interface SteppedSettings extends WindowSettings, OwnValues<"stepped"> {
  /**
   * `documented`: IA al Día 2026, results are hidden first. `current`: as OpenCode does it today, nothing is hidden unless
   * asked for, and a tail stays beside the summary.
   */
  readonly preset: Preset;
}

export const SACRED_ZONE_DEFAULTS: SacredZoneSettings = { ...WINDOW_DEFAULTS, ...pickDefaults("sacred-zone") };
export const LAYERED_DEFAULTS: LayeredSettings = { ...WINDOW_DEFAULTS, ...pickDefaults("layered") };
export const LOSSLESS_DEFAULTS: LosslessSettings = { ...WINDOW_DEFAULTS, ...pickDefaults("lossless") };
export const HANDOFF_DEFAULTS: HandoffSettings = {
  ...WINDOW_DEFAULTS,
  preset: "documented",
  ...pickDefaults("handoff"),
};
export const STEPPED_DEFAULTS: SteppedSettings = {
  ...WINDOW_DEFAULTS,
  preset: "documented",
  ...pickDefaults("stepped"),
};

/** What a host says of single engines; what is left out is that engine's default. */
export type EnginesSettings = { readonly [Name in keyof OwnSettings]?: Partial<OwnValues<Name>> };

/** What a session knows of settings: every engine takes from it what is its own. */
export interface EngineSettings extends CompressorSettings {
  readonly engines?: EnginesSettings;
}

export const ENGINE_DEFAULTS: EngineSettings = {
  ...COMPRESSOR_DEFAULTS,
  engines: {
    "sacred-zone": pickDefaults("sacred-zone"),
    handoff: pickDefaults("handoff"),
    layered: pickDefaults("layered"),
    lossless: pickDefaults("lossless"),
    stepped: pickDefaults("stepped"),
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
