/** The models of an exam: who writes the questions, who reads, who grades, and who writes handoffs. */
import type { Configuration } from "../../../src/config/schema.ts";
import { PrecisError } from "../../../src/core/errors.ts";
import type { Writer } from "../../../src/core/handoff/model/writer.ts";
import { chooseModels } from "../../../src/models/choice.ts";
import { ASK_TIMEOUT_MS_MAX, registryOf } from "../../../src/models/settings.ts";
import { lookUp } from "../../../src/models/registry/registry.ts";
import type { Prices } from "../../../src/models/ai-sdk.ts";
import { createWriters, findPrices, findThinkingTokens, type WriterEnvironment } from "../../../src/models/writers.ts";

export interface ExamModel {
  readonly writer: Writer;
  /** Undefined if nobody knows them. */
  readonly prices: Prices | undefined;
  /** Output tokens that it may think beside its answer. */
  readonly thinkingTokens: number;
}

/** Names as given; the configured model if undefined. */
export interface ModelNames {
  readonly writer: string | undefined;
  readonly reader: string | undefined;
  readonly grader: string | undefined;
}

export interface ExamModels {
  readonly writer: ExamModel;
  readonly reader: ExamModel;
  readonly grader: ExamModel;
  /** The configured model: it writes the handoffs of contestants that have one. */
  readonly handoff: ExamModel;
}

/** @throws PrecisError `usage` where no model is configured, or where the settings lead nowhere. */
export function examModels(settings: Configuration, names: ModelNames, surroundings: WriterEnvironment): ExamModels {
  const named = (name: string | undefined): ExamModel => modelNamed(settings, name, surroundings);
  return {
    writer: named(names.writer),
    reader: named(names.reader),
    grader: named(names.grader),
    handoff: named(undefined),
  };
}

function modelNamed(settings: Configuration, name: string | undefined, surroundings: WriterEnvironment): ExamModel {
  const meant = settingsFor(settings, name);
  const choices = chooseModels(meant);
  const choice = choices.auxiliary ?? choices.main;
  if (choice === undefined) throw noModel(name);
  if ("problem" in choice)
    throw new PrecisError(`the model ${choice.model} cannot be used: ${choice.problem}`, {
      code: "usage",
      place: choice.path,
      hint: "See docs/models.md for the settings of a model.",
    });
  const writers = createWriters(meant, surroundings);
  const registry = surroundings.registry ?? registryOf(meant);
  return {
    writer: (choice === choices.main ? writers.main : writers.auxiliary)!,
    prices: findPrices(choice, registry),
    thinkingTokens: findThinkingTokens(meant, lookUp(registry, choice.model)),
  };
}

/** Nobody waits for an exam as an agent waits for a handoff, so each answer has the longest time there is. */
function settingsFor(settings: Configuration, name: string | undefined): Configuration {
  const { compression: own } = settings.auxiliary;
  const patient = { ...own, timeout_seconds: ASK_TIMEOUT_MS_MAX / 1_000 };
  const compression = name === undefined ? patient : { ...patient, model: name };
  return { ...settings, auxiliary: { ...settings.auxiliary, compression } };
}

function noModel(name: string | undefined): PrecisError {
  return new PrecisError(name === undefined ? "no model is configured" : `the model ${name} is not configured`, {
    code: "usage",
    place: "auxiliary.compression.model",
    hint: "Set it, for example with `--set auxiliary.compression.model=claude-sonnet-4-5`.",
  });
}
