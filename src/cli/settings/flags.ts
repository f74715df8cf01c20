/** The flags through which a command line overrides the configuration, and what follows: who writes handoffs, and which window counts. */
import type { ArgsDef } from "citty";
import type { Flag, Request } from "../../config/load.ts";
import type { PrecisError } from "../../core/errors.ts";
import { parseTokens, count } from "../screen/amounts.ts";
import { option, type Arguments } from "../program/command.ts";
import { usageError } from "../program/exit.ts";
import { explained, type Terminal } from "../screen/terminal.ts";
import type { Configuration } from "../../config/schema.ts";
import { builtInName } from "../../core/engines/names.ts";
import { asksInPlace, chooseModels } from "../../models/choice.ts";
import { mainWindow, type MainWindow } from "../../config/engine-settings.ts";
import { visibleLine } from "../screen/text.ts";
import type { Measure } from "../../core/transcript/measure.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import { statedImageTokens } from "../../models/registry/registry.ts";
import { registryOf } from "../../models/settings.ts";

export const CONFIG_FLAGS = {
  config: option("FILE", "Read this configuration file instead of the project's."),
  set: option("KEY=VALUE", "Override a setting, for example compression.threshold=0.4. May be repeated."),
} as const satisfies ArgsDef;

export const ENGINE_FLAGS = {
  engine: option("NAME", "The engine to compact with (context.engine)."),
  "context-length": option("TOKENS", "The model's window, for example 200k (model.context_length)."),
} as const satisfies ArgsDef;

/** Of what runs until it is interrupted. */
export const LOGGING_SETTINGS: FlagSettings = {
  host: "gateway.host",
  store: "gateway.store",
  json: ["gateway.log", "json"],
  quiet: ["gateway.log", "off"],
};

/** The settings that flags are shorter names of: a setting takes what its flag is given, or, of a toggle, the value beside it. */
type FlagSettings = Readonly<Record<string, string | readonly [path: string, value: string]>>;

function settingFlags(args: Arguments, settings: FlagSettings): readonly Flag[] {
  return Object.entries(settings).flatMap(([name, setting]) => {
    if (typeof setting !== "string") return args.is(name) ? [toFlag(name, ...setting)] : [];
    const text = args.text(name);
    return text === undefined ? [] : [toFlag(name, setting, text)];
  });
}

export function toFlag(name: string, path: string, text: string): Flag {
  return { path, text, label: `--${name}` };
}

/** With the settings that these flags name: all are checked as settings are. */
export function configurationRequest(
  args: Arguments,
  terminal: Terminal,
  own: FlagSettings = {},
): Request & Required<Pick<Request, "leaveOut" | "flags">> {
  const { folder, environment, platform } = terminal;
  const window = args.text("context-length");
  const flags = [
    ...args.all("set").map(parseSetting),
    ...settingFlags(args, { engine: "context.engine" }),
    ...(window === undefined
      ? []
      : [toFlag("context-length", "model.context_length", String(parseTokens(window, "--context-length")))]),
    ...settingFlags(args, own),
    ...summarizeFlags(args),
  ];
  const leaveOut = (why: PrecisError): Promise<void> => terminal.err.say(explained(why, terminal));
  return { folder, environment, platform, flags, file: args.text("config"), leaveOut };
}

function parseSetting(pair: string): Flag {
  const at = pair.indexOf("=");
  if (at < 1)
    throw usageError(`--set is "${pair}"; expected KEY=VALUE`, "Write for example `--set compression.threshold=0.4`.");
  return { path: pair.slice(0, at), text: pair.slice(at + 1), label: "--set" };
}

const MAIN = "main";

function summarizeFlags(args: Arguments): readonly Flag[] {
  const model = args.text("summarize");
  if (model === undefined) return [];
  return model === MAIN ? [writerFlag("model", "null"), writerFlag("provider", MAIN)] : [writerFlag("model", model)];
}

function writerFlag(name: string, text: string): Flag {
  return toFlag("summarize", `auxiliary.compression.${name}`, text);
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

type NamedBy = "flag" | "input" | "configuration";

export interface Window {
  readonly tokens: number;
  readonly from: "flag" | "example" | MainWindow["from"];
  readonly model?: { readonly name: string; readonly namedBy: NamedBy };
}

export function windowFor(args: Arguments, configuration: Configuration, input: string | undefined): Window {
  const model = modelFor(args.text("model"), input, configuration.model.name ?? undefined);
  const { tokens, from } = mainWindow(configuration, model?.name);
  const flagged = args.text("context-length") !== undefined;
  return { tokens, from: flagged ? "flag" : from, ...(model === undefined ? {} : { model }) };
}

function modelFor(flag?: string, input?: string, configured?: string): Window["model"] {
  if (flag !== undefined) return { name: flag, namedBy: "flag" };
  if (input !== undefined) return { name: input, namedBy: "input" };
  return configured === undefined ? undefined : { name: configured, namedBy: "configuration" };
}

const NAMED: Readonly<Record<NamedBy, string>> = {
  flag: "the model that --model names",
  input: "the model that the input names",
  configuration: "the configured model",
};

/** `200,000 tokens, the window of claude-opus-4-1 (the model that the input names)` */
export function windowText({ tokens, from, model }: Window): string {
  return `${count(tokens)} tokens, ${describeOrigin(from, model)}`;
}

function describeOrigin(from: Window["from"], model: Window["model"]): string {
  switch (from) {
    case "flag":
      return "from --context-length";
    case "example":
      return "from the example";
    case "setting":
      return "from model.context_length in the configuration";
    case "registry":
      return `the window of ${visibleLine(model!.name)} (${NAMED[model!.namedBy]})`;
    case "assumed":
      return model === undefined
        ? "assumed because neither the input nor the configuration names a model"
        : `assumed because nothing is known of ${visibleLine(model.name)} (${NAMED[model.namedBy]})`;
  }
}

export function readImageTokens({ model }: Transcript, configuration: Configuration): Pick<Measure, "imageTokens"> {
  return statedImageTokens(registryOf(configuration), model ?? configuration.model.name ?? "");
}
