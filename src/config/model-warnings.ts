/** What the configuration says of models that probably was not meant: windows that are guessed, too small, or unreachable. */
import type { WindowLimits } from "../core/engines/window.ts";
import { asksInPlace, chooseModels, type Choice } from "../models/choice.ts";
import { lookUp, SAFE_WINDOW_TOKENS } from "../models/registry/registry.ts";
import { registryOf } from "../models/settings.ts";
import { windowOf } from "../models/writers.ts";
import { mainWindow } from "./engine-settings.ts";
import type { Configuration } from "./schema.ts";
import { counted, type Warning } from "./warning.ts";

/** About the window of the model that reads the transcript. */
export function mainWindowWarnings(configuration: Configuration): readonly Warning[] {
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

/** About the model that writes handoffs, and the one behind it. */
export function auxiliaryWarnings(configuration: Configuration, limits: WindowLimits): readonly Warning[] {
  const { auxiliary, main } = chooseModels(configuration);
  if (asksInPlace(configuration) && configuration.model.name === null) return [ONLY_IN_PLACE];
  const unclear = [auxiliary, main].flatMap((choice) => (choice !== undefined && "problem" in choice ? [choice] : []));
  const stray = unclear.map(({ path, problem }) => {
    const fix = "Until then handoffs are written without this model.";
    return { code: "model_unclear", path, message: problem, fix };
  });
  if (auxiliary === undefined || "problem" in auxiliary) return stray;
  return [...stray, ...windowWarnings(auxiliary, configuration, limits)];
}

const ONLY_IN_PLACE: Warning = {
  code: "main_only_in_place",
  path: "model.name",
  message: "not set, so only `precis serve` can have the main model write handoffs: the model of each conversation",
  fix: "Set it so that `precis compact` can use that model too.",
  note: true,
};

const AUXILIARY_WINDOW = "auxiliary.compression.context_length";

/** A summarizer smaller than the threshold fails exactly on the sessions that need it (Zhang 2026, section 25.2). */
function windowWarnings(choice: Choice, configuration: Configuration, { thresholdTokens }: WindowLimits): Warning[] {
  const registry = registryOf(configuration);
  const tokens = windowOf(choice, registry);
  const known = choice.windowTokens ?? lookUp(registry, choice.model)?.windowTokens;
  const warnings: Warning[] = [];
  const path = AUXILIARY_WINDOW;
  if (known === undefined) {
    const message = `nothing is known of ${choice.model}, so a window of ${counted(SAFE_WINDOW_TOKENS)} is assumed`;
    warnings.push({ code: "auxiliary_unknown", path, message, fix: "Set it to that model's window." });
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
