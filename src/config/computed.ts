/** The figures that follow from a configuration, how each is reached, and what in it is extreme. */
import { builtInName, ENGINE_NAMES } from "../core/engines/names.ts";
import type { EngineSettings } from "../core/engines/settings.ts";
import { limitsOf, type Limits } from "../core/engines/compressor/limits.ts";
import { createEngine, figuresOf } from "../core/engines/engines.ts";
import { windowLimits, type WindowLimits } from "../core/engines/window.ts";
import { toEngineSettings, mainWindow } from "./engine-settings.ts";
import { isLoopback } from "./locate.ts";
import type { Configuration } from "./schema.ts";
import { DEFAULTS } from "./defaults.ts";
import { asksInPlace, chooseModels, type Choice } from "../models/choice.ts";
import { lookUp, SAFE_WINDOW_TOKENS } from "../models/registry/registry.ts";
import { registryOf } from "../models/settings.ts";
import { findWindow } from "../models/writers.ts";

export interface ComputedValue {
  readonly name: string;
  readonly tokens: number;
  readonly meaning: string;
  /** Paths of the settings it follows from. */
  readonly from: readonly string[];
}

const WINDOW = ["model.context_length", "model.name", "models"];
const USABLE = [...WINDOW, "model.max_output_tokens"];

export function computedValues(configuration: Configuration): readonly ComputedValue[] {
  const { engine } = configuration.context;
  const settings = toEngineSettings(configuration);
  const own = figuresOf(engine, settings);
  // Only the figures of the default engine can be set in a file.
  const isDefault = builtInName(engine) === "compressor";
  const paths = (names: readonly string[]): readonly string[] => [
    ...(isDefault ? names.map((name) => `compression.${snakeCase(name)}`) : []),
    ...USABLE,
  ];
  const limits = engineLimits(engine, settings);
  const threshold = own.find(({ name }) => name === "threshold");
  const guard = threshold === undefined ? [] : paths(threshold.from);
  return [
    { name: "window", tokens: settings.contextLength, meaning: "what the model can read and write", from: WINDOW },
    { name: "usable", tokens: limits.usableTokens, meaning: "window − reserved output", from: USABLE },
    ...own.map(({ from, ...figure }) => ({ ...figure, from: paths(from) })),
    ...(threshold === undefined
      ? []
      : [
          {
            name: "pressure",
            tokens: limits.pressureTokens,
            meaning: "85 % of the way to the threshold: the operator is notified",
            from: guard,
          },
          {
            name: "hygiene",
            tokens: limits.hygieneTokens,
            meaning: HYGIENE,
            from: USABLE,
          },
        ]),
  ];
}

/** With a system prompt and tools of so many tokens; for a plugin, which is not loaded here, those of the default engine. */
export function engineLimits(engine: string, settings: EngineSettings, fixedTokens = 0): WindowLimits {
  return windowLimits(builtInName(engine) === undefined ? {} : createEngine(engine, settings), settings, fixedTokens);
}

const HYGIENE = "compacts here at the latest: 85 % of usable, or the engine's own threshold where that is later";

/** Below this a session compacts every few turns and pays for each (Zhang 2026, section 25.2). */
const THRESHOLD_LOW = 0.2;
/** Above this there is no room left to work in before the window is full (Zhang 2026, section 25.2). */
const THRESHOLD_HIGH = 0.85;
/** A window in which the largest handoff is under 800 tokens. */
const WINDOW_SMALL_TOKENS = 16_000;
const OUTPUT_WINDOW_SHARE_HIGH = 0.5;

export function findWarnings(configuration: Configuration): readonly Warning[] {
  const settings = toEngineSettings(configuration);
  const { engine } = configuration.context;
  const limits = limitsOf(settings);
  const isDefault = builtInName(engine) === "compressor";
  return [
    ...mainWindowWarnings(configuration),
    ...windowWarnings(settings, limits),
    ...(isDefault ? [...thresholdWarnings(settings), ...roomWarnings(limits)] : []),
    ...unusedWarnings(configuration),
    ...(configuration.compression.enabled ? [] : [DISABLED]),
    ...engineWarnings(configuration),
    ...auxiliaryWarnings(configuration, engineLimits(engine, settings)),
    ...gatewayWarnings(configuration),
  ];
}

const DISABLED: Warning = {
  code: "compression_off",
  path: "compression.enabled",
  message: "nothing is compacted automatically, not even when the window is nearly full",
  fix: "Set it to true, or compact manually with `precis compact --force`.",
};

function engineWarnings({ context: { engine } }: Configuration): Warning[] {
  if (builtInName(engine) !== undefined) return [];
  const message = `no built-in engine is named "${engine}", so a plugin has to provide it`;
  const fix = `\`precis plugins\` lists the plugins there are. Built in: ${ENGINE_NAMES.join(", ")}.`;
  return [{ code: "engine_not_built_in", path: "context.engine", message, fix }];
}

function gatewayWarnings({ gateway: { host, token_env } }: Configuration): Warning[] {
  if (isLoopback(host) || token_env !== null) return [];
  const path = "gateway.host";
  const message = `${host} can be reached from other machines, and no token protects the metrics and the API: \`precis serve\` refuses to start`;
  return [{ code: "gateway_open", path, message, fix: "Set gateway.token_env to a variable that holds a token." }];
}

function windowWarnings(settings: EngineSettings, limits: Limits): Warning[] {
  const warnings: Warning[] = [];
  if (limits.usableTokens < WINDOW_SMALL_TOKENS) {
    const message = `only ${counted(limits.usableTokens)} are usable, so a handoff has at most ${counted(limits.handoffTokensMax)}`;
    warnings.push({
      code: "window_small",
      path: "model.context_length",
      message,
      fix: "Check the number: windows are given in tokens, not in thousands.",
    });
  }
  if (settings.maxOutputTokens >= settings.contextLength * OUTPUT_WINDOW_SHARE_HIGH) {
    const message = `${counted(settings.maxOutputTokens)} are reserved for the answer, half of the window or more`;
    warnings.push({
      code: "output_large",
      path: "model.max_output_tokens",
      message,
      fix: "Lower it, unless answers really are that long.",
    });
  }
  return warnings;
}

function thresholdWarnings({ threshold }: EngineSettings): Warning[] {
  const warnings: Warning[] = [];
  const path = "compression.threshold";
  if (threshold < THRESHOLD_LOW) {
    const message = `${threshold} compacts every few turns; each compaction loses detail and empties the prompt cache`;
    warnings.push({ code: "threshold_low", path, message, fix: "Use 0.3 to 0.7." });
  }
  if (threshold > THRESHOLD_HIGH) {
    const message = `${threshold} is above 0.85; the trigger stays at 0.85 so that a compaction still fits the window`;
    warnings.push({ code: "threshold_high", path, message, fix: "Use 0.3 to 0.7." });
  }
  return warnings;
}

function roomWarnings(limits: Limits): Warning[] {
  const free = limits.thresholdTokens - limits.tailCeilingTokens - limits.handoffTokensMax;
  if (free > 0) return [];
  return [
    {
      code: "no_room",
      path: "compression.target_ratio",
      message:
        "the tail at its ceiling and the largest handoff fill the whole threshold, before the head and the system prompt",
      fix: "Lower it: 0.2 leaves room for new work between compactions.",
    },
  ];
}

const DEFAULT_ENGINE_ONLY = [
  "threshold",
  "target_ratio",
  "protect_last_n",
  "protect_first_n",
  "note",
  "template",
] as const;
const WITH_PRESETS: readonly string[] = ["compressor", "handoff", "stepped"];

/** A plugin is given all settings, and may go by them. */
function unusedWarnings({ context, compression }: Configuration): readonly Warning[] {
  const running = builtInName(context.engine);
  if (running === undefined) return [];
  const unused =
    running === "compressor"
      ? []
      : DEFAULT_ENGINE_ONLY.filter((name) => compression[name] !== DEFAULTS.compression[name]).map(
          (name) => `compression.${name}`,
        );
  const preset = context.preset === DEFAULTS.context.preset || WITH_PRESETS.includes(running) ? [] : ["context.preset"];
  const remote = context.remote_compaction === "off" || running === "handoff" ? [] : ["context.remote_compaction"];
  const files = context.files_folder === null || running === "layered" ? [] : ["context.files_folder"];
  return [...unused, ...preset, ...remote, ...files].map((path) => ({
    code: "setting_unused",
    path,
    message: `set, but the engine \`${running}\` does not use it`,
    fix:
      running === "none"
        ? "Remove it, or set context.engine to an engine that compacts."
        : `Remove it: the figures of \`${running}\` follow from the window.`,
  }));
}

function mainWindowWarnings(configuration: Configuration): readonly Warning[] {
  const { tokens, from } = mainWindow(configuration);
  const { name } = configuration.model;
  const path = "model.context_length";
  if (from !== "assumed") return [];
  if (name === null) {
    const message = `not set, so a window of ${counted(tokens)} is assumed`;
    return [{ code: "window_assumed", path, message, fix: "Set it to your model's window, or set model.name." }];
  }
  const message = `nothing is known of ${name}, so a window of ${counted(tokens)} is assumed`;
  return [{ code: "model_unknown", path, message, fix: "Set it to your model's window." }];
}

function auxiliaryWarnings(configuration: Configuration, limits: WindowLimits): readonly Warning[] {
  const { auxiliary, main } = chooseModels(configuration);
  if (asksInPlace(configuration) && configuration.model.name === null) return [ONLY_IN_PLACE];
  const unclear = [auxiliary, main].flatMap((choice) => (choice !== undefined && "problem" in choice ? [choice] : []));
  const stray = unclear.map(({ path, problem }) => {
    const fix = "Until then handoffs are written without this model.";
    return { code: "model_unclear", path, message: problem, fix };
  });
  if (auxiliary === undefined || "problem" in auxiliary) return stray;
  return [...stray, ...auxiliaryWindowWarnings(auxiliary, configuration, limits)];
}

const ONLY_IN_PLACE: Warning = {
  code: "main_only_in_place",
  path: "model.name",
  message: "not set, so only `precis serve` can have the main model write handoffs: the model of each conversation",
  fix: "Set it so that `precis compact` can use that model too.",
  note: true,
};

const AUXILIARY_WINDOW = "models";

/** A summarizer smaller than the threshold fails exactly on the sessions that need it (Zhang 2026, section 25.2). */
function auxiliaryWindowWarnings(
  choice: Choice,
  configuration: Configuration,
  { thresholdTokens }: WindowLimits,
): Warning[] {
  const registry = registryOf(configuration);
  const tokens = findWindow(choice, registry);
  const known = choice.windowTokens ?? lookUp(registry, choice.model)?.windowTokens;
  const warnings: Warning[] = [];
  const path = AUXILIARY_WINDOW;
  if (known === undefined) {
    const message = `nothing is known of ${choice.model}, so a window of ${counted(SAFE_WINDOW_TOKENS)} is assumed`;
    warnings.push({
      code: "auxiliary_unknown",
      path,
      message,
      fix: `Set models.${choice.model}.context_length to that model's window.`,
    });
  }
  const main = mainWindow(configuration).tokens;
  if (tokens < thresholdTokens) {
    const message = `${choice.model} reads ${counted(tokens)}, but a compaction begins at ${counted(thresholdTokens)}: what does not fit is read in several calls`;
    const fix = `Choose a model with a window of ${counted(thresholdTokens)} or more, or lower compression.threshold.`;
    warnings.push({ code: "auxiliary_window_small", path, message, fix });
  } else if (tokens < main) {
    const message = `${choice.model} reads ${counted(tokens)}, less than the main model's ${counted(main)}; enough at the threshold of ${counted(thresholdTokens)}`;
    const fix = "Nothing to do, unless sessions grow far past the threshold.";
    warnings.push({ code: "auxiliary_window_below_main", path, message, fix, note: true });
  }
  return warnings;
}

export interface Warning {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  /** For information; nothing needs to be fixed. */
  readonly note?: true;
}

function counted(count: number): string {
  return `${count.toLocaleString("en-US")} tokens`;
}

/** The names of programs as the configuration file writes them: `recentTokens` is `recent_tokens`, `sacred-zone` is `sacred_zone`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll("-", "_");
}
