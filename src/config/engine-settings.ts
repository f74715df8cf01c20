/** From the configuration to the settings of the engines. */
import { ENGINE_DEFAULTS, type EngineSettings } from "../core/engines/settings.ts";
import { lookUp } from "../models/registry/registry.ts";
import { registryOf } from "../models/settings.ts";
import { ASSUMED_CONTEXT_TOKENS, UNKNOWN_CONTEXT_TOKENS } from "./defaults.ts";
import type { Configuration } from "./schema.ts";

/** `named` is the model that the transcript is for, if that is known; otherwise it is the configured one. */
export function toEngineSettings(configuration: Configuration, named?: string): EngineSettings {
  const { model, compression, context } = configuration;
  return {
    ...ENGINE_DEFAULTS,
    contextLength: mainWindow(configuration, named).tokens,
    maxOutputTokens: model.max_output_tokens,
    threshold: compression.threshold,
    targetRatio: compression.target_ratio,
    protectLastN: compression.protect_last_n,
    protectFirstN: compression.protect_first_n,
    note: compression.note,
    template: compression.template,
    keepRequests: compression.keep_requests,
    preset: context.preset,
  };
}

export interface MainWindow {
  readonly tokens: number;
  readonly from: "setting" | "registry" | "assumed";
}

export function mainWindow({ model, models }: Configuration, named = model.name): MainWindow {
  if (model.context_length !== null) return { tokens: model.context_length, from: "setting" };
  if (named === null) return { tokens: ASSUMED_CONTEXT_TOKENS, from: "assumed" };
  const known = lookUp(registryOf({ models }), named)?.windowTokens;
  return known === undefined
    ? { tokens: UNKNOWN_CONTEXT_TOKENS, from: "assumed" }
    : { tokens: known, from: "registry" };
}
