/** `--summarize`: the one switch that has a model write the handoffs, and what is said of who writes them. */
import type { Flag } from "../config/load.ts";
import type { Configuration } from "../config/schema.ts";
import { builtInName } from "../core/engines/settings.ts";
import { asksInPlace, chooseModels } from "../models/choice.ts";
import type { Arguments } from "./command.ts";
import { usageError } from "./exit.ts";

const MAIN = "main";

/** What the flag says, as settings. */
export function summarizeFlags(args: Arguments): readonly Flag[] {
  const model = args.text("summarize");
  if (model === undefined) return [];
  const label = "--summarize";
  const setting = (name: string, text: string): Flag => ({ path: `auxiliary.compression.${name}`, text, label });
  return model === MAIN ? [setting("model", "null"), setting("provider", MAIN)] : [setting("model", model)];
}

/** Whoever asks for a model by the flag is told at once where none can be reached; settings in a file are told by the report. */
export function checkSummarize(args: Arguments, configuration: Configuration): void {
  const model = args.text("summarize");
  if (model === undefined) return;
  const { auxiliary, main } = chooseModels(configuration);
  const choice = auxiliary ?? main;
  if (choice === undefined || !("problem" in choice)) return;
  if (model === MAIN)
    throw usageError(
      "--summarize main needs a main model, and model.name is not set",
      "Name a model instead, as in `--summarize claude-haiku-4-5`, or set the main one: `--set model.name=NAME`.",
    );
  throw usageError(
    `the model ${model} cannot be used: ${choice.problem}`,
    "Set it with --set or in the configuration; docs/models.md shows how each model is reached.",
  );
}

/** Who writes the handoffs of a gateway, in one sentence; where nobody is asked, what a model would bring. */
export function handoffsSentence(configuration: Configuration): string {
  const { context } = configuration;
  const isRemote = context.remote_compaction === "on" && builtInName(context.engine) === "handoff";
  const others = writtenSentence(configuration);
  return isRemote
    ? `replaced by the provider's own compaction, with the client's key, where an upstream of OpenAI Responses offers it; else ${others}`
    : others;
}

function writtenSentence(configuration: Configuration): string {
  if (asksInPlace(configuration))
    return "written in the background by each conversation's own model, at its own upstream and with its client's key";
  const { auxiliary } = chooseModels(configuration);
  if (auxiliary !== undefined) return `written in the background by ${auxiliary.model}`;
  return "written by code; with --summarize MODEL (or main) a model writes them, with decisions and their reasons";
}
