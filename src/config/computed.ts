/** The figures that follow from a configuration, how each is reached, and what in it is extreme. */
import { builtInName, ENGINE_NAMES, type EngineSettings, OWN_SETTINGS } from "../core/engines/settings.ts";
import { limitsOf, type Limits } from "../core/engines/compressor/limits.ts";
import { createEngine, figuresOf } from "../core/engines/engines.ts";
import { windowLimits, type WindowLimits } from "../core/engines/window.ts";
import { engineSettingsOf } from "./engine-settings.ts";
import { isLoopback } from "./loopback.ts";
import { auxiliaryWarnings, mainWindowWarnings } from "./model-warnings.ts";
import type { Configuration } from "./schema.ts";
import { snakeCase } from "./snake-case.ts";
import { counted, type Warning } from "./warning.ts";
import { DEFAULTS } from "./defaults.ts";

/** A figure that follows from settings. */
export interface ComputedValue {
  readonly name: string;
  readonly tokens: number;
  readonly meaning: string;
  /** Paths of the settings it follows from. */
  readonly from: readonly string[];
}

const WINDOW = ["model.context_length", "model.name", "models"];
const USABLE = [...WINDOW, "model.max_output_tokens"];

/** The window's figures, and those of the engine that runs. */
export function computedValues(configuration: Configuration): readonly ComputedValue[] {
  const { engine } = configuration.context;
  const settings = engineSettingsOf(configuration);
  const own = figuresOf(engine, settings);
  const section =
    builtInName(engine) === "compressor" ? "compression" : `engines.${snakeCase(builtInName(engine) ?? "")}`;
  const paths = (names: readonly string[]): readonly string[] => [
    ...names.map((name) => `${section}.${snakeCase(name)}`),
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

/** Beside system prompt and tools of so many tokens; of a plugin, which is not loaded here, those of the default engine. */
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
/** What a compaction must leave free below the threshold, or the next one follows at once. */
const FREE_THRESHOLD_SHARE_LOW = 0.1;
const OUTPUT_WINDOW_SHARE_HIGH = 0.5;
const HEAD_MESSAGES_HIGH = 10;

/** What works, but probably not as meant. */
export function warningsOf(configuration: Configuration): readonly Warning[] {
  const settings = engineSettingsOf(configuration);
  const { engine } = configuration.context;
  const limits = limitsOf(settings);
  const isDefault = builtInName(engine) === "compressor";
  return [
    ...mainWindowWarnings(configuration),
    ...windowWarnings(settings, limits),
    ...(isDefault ? [...thresholdWarnings(settings, limits), ...roomWarnings(settings, limits)] : []),
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

/** What `precis serve` would refuse, or what opens its own pages to others. */
function gatewayWarnings({ gateway: { host, token_env, insecure } }: Configuration): Warning[] {
  if (isLoopback(host) || token_env !== null) return [];
  const path = "gateway.host";
  const message = insecure
    ? `${host} can be reached from other machines, and no token protects the metrics and the API`
    : `${host} can be reached from other machines, and no token protects the metrics and the API: \`precis serve\` refuses to start`;
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

function thresholdWarnings({ threshold, thresholdFloorTokens }: EngineSettings, limits: Limits): Warning[] {
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
  if (thresholdFloorTokens > limits.thresholdTokens) {
    const message = `a floor of ${counted(thresholdFloorTokens)} does not fit; the trigger stays at ${counted(limits.thresholdTokens)}`;
    warnings.push({
      code: "floor_high",
      path: "compression.threshold_floor_tokens",
      message,
      fix: "Lower it, or set it to 0.",
    });
  }
  return warnings;
}

function roomWarnings({ protectFirstN }: EngineSettings, limits: Limits): Warning[] {
  const warnings: Warning[] = [];
  const free = limits.thresholdTokens - limits.tailCeilingTokens - limits.handoffTokensMax;
  const path = "compression.target_ratio";
  const fix = "Lower it: 0.2 leaves room for new work between compactions.";
  if (free <= 0) {
    const message =
      "the tail at its ceiling and the largest handoff fill the whole threshold, before the head and the system prompt";
    warnings.push({ code: "no_room", path, message, fix });
  } else if (free < limits.thresholdTokens * FREE_THRESHOLD_SHARE_LOW) {
    const message = `after a compaction at most ${counted(free)} are free, for the head, the system prompt and all new work`;
    warnings.push({ code: "little_room", path, message, fix });
  }
  if (protectFirstN > HEAD_MESSAGES_HIGH) {
    const message = `${protectFirstN} opening messages are never compacted, however large they are`;
    warnings.push({
      code: "head_large",
      path: "compression.protect_first_n",
      message,
      fix: "Use 3, which covers the request that sets the task.",
    });
  }
  return warnings;
}

/** Of `compression`, what only the default engine goes by. */
const DEFAULT_ENGINE_ONLY = [
  "threshold",
  "threshold_floor_tokens",
  "target_ratio",
  "protect_last_n",
  "protect_first_n",
  "note",
  "template",
] as const;
const WITH_PRESETS: readonly string[] = ["compressor", "handoff", "stepped"];

/** A plugin is given all settings, and may go by them. */
function unusedWarnings({ context, compression, engines }: Configuration): readonly Warning[] {
  const running = builtInName(context.engine);
  if (running === undefined) return [];
  const unused =
    running === "compressor"
      ? []
      : DEFAULT_ENGINE_ONLY.filter((name) => compression[name] !== DEFAULTS.compression[name]).map(
          (name) => `compression.${name}`,
        );
  const others = Object.keys(OWN_SETTINGS)
    .filter((name) => name !== running)
    .flatMap((name) => changedIn(engines, snakeCase(name)));
  const preset = context.preset === DEFAULTS.context.preset || WITH_PRESETS.includes(running) ? [] : ["context.preset"];
  const remote = context.remote_compaction === "off" || running === "handoff" ? [] : ["context.remote_compaction"];
  const files = context.files_folder === null || running === "layered" ? [] : ["context.files_folder"];
  return [...unused, ...others, ...preset, ...remote, ...files].map((path) => ({
    code: "setting_unused",
    path,
    message: `set, but the engine \`${running}\` does not use it`,
    fix: fixFor(running),
  }));
}

function changedIn(engines: Configuration["engines"], name: string): readonly string[] {
  const standard = DEFAULTS.engines[name] as Readonly<Record<string, unknown>>;
  const changed = Object.entries(engines[name] as object).filter(([key, value]) => value !== standard[key]);
  return changed.map(([key]) => `engines.${name}.${key}`);
}

function fixFor(running: string): string {
  if (running === "none") return "Remove it, or set context.engine to an engine that compacts.";
  const section = running === "compressor" ? "compression" : `engines.${snakeCase(running)}`;
  return `Remove it. The settings of \`${running}\` are in \`${section}\`.`;
}
