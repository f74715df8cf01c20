/** From the settings and the environment to the models that a compaction may ask. */
import { defined } from "../core/defined.ts";
import type { Writer, Writers } from "../core/handoff/model/writer.ts";
import { chooseModels, type Choice, type Unclear } from "./choice.ts";
import { type ReadOverflow, createUnconfigured, createWriter } from "./writer.ts";
import { THINKING_TOKENS, registryOf, type ModelSettings } from "./settings.ts";
import type { LoadPackage } from "./providers.ts";
import type { ModelFacts } from "./registry/known.ts";
import { lookUp, SAFE_WINDOW_TOKENS, statedPrices, type Registry } from "./registry/registry.ts";
import type { Prices } from "./ai-sdk.ts";

/** What lies outside the settings. */
export interface WriterEnvironment {
  /** Where keys are, by the names that the providers have or the settings give. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How an overflow is distinguished from other errors: `overflow` of any protocol. */
  readonly overflow: ReadOverflow;
  /** With what was learned of models since; otherwise the known facts and the settings'. */
  readonly registry?: Registry;
  readonly load?: LoadPackage;
  readonly fetch?: typeof fetch;
}

/** Asks no model and loads nothing yet. Settings that lead nowhere give a writer that answers with the reason. */
export function createWriters(settings: ModelSettings, surroundings: WriterEnvironment): Writers {
  const { auxiliary, main } = chooseModels(settings);
  const writerFor = (choice: Choice | Unclear): Writer => makeWriter(choice, settings, surroundings);
  return {
    ...(auxiliary === undefined ? {} : { auxiliary: writerFor(auxiliary) }),
    ...(main === undefined ? {} : { main: writerFor(main) }),
    resting: [],
  };
}

function makeWriter(choice: Choice | Unclear, settings: ModelSettings, surroundings: WriterEnvironment): Writer {
  if ("problem" in choice) return createUnconfigured(choice.model, SAFE_WINDOW_TOKENS, choice.problem);
  const { environment, overflow, registry = registryOf(settings), load, fetch } = surroundings;
  const { model, provider, baseUrl, keyVariable } = choice;
  const { timeout_seconds } = settings.auxiliary.compression;
  const facts = lookUp(registry, model);
  return createWriter({
    model,
    provider,
    baseUrl,
    keyVariable,
    apiKey: environment[keyVariable]?.trim() || undefined,
    windowTokens: findWindow(choice, registry),
    maxOutputTokens: facts?.maxOutputTokens,
    thinkingTokens: findThinkingTokens(settings, facts),
    prices: findPrices(choice, registry),
    timeoutMs: timeout_seconds * 1_000,
    overflow,
    ...defined({ load, fetch }),
  });
}

/** A server of one's own costs what the configuration says, and nothing that is known of the model elsewhere. */
export function findPrices({ model, provider }: Choice, registry: Registry): Prices | undefined {
  return provider.keyOptional === true ? statedPrices(registry, model) : lookUp(registry, model)?.prices;
}

/** Output tokens in addition to the answer's own. */
export function findThinkingTokens({ auxiliary }: ModelSettings, facts: ModelFacts | undefined): number {
  return auxiliary.compression.thinking_tokens ?? (facts?.thinks === true ? THINKING_TOKENS : 0);
}

/** Stated for it, known by its name, or the safe one. */
export function findWindow(
  { model, windowTokens }: Pick<Choice, "model" | "windowTokens">,
  registry: Registry,
): number {
  return windowTokens ?? lookUp(registry, model)?.windowTokens ?? SAFE_WINDOW_TOKENS;
}
