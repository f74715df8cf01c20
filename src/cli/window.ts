/**
 * The window that a command works with, found one way by all of them: a flag, the configuration, what is known of the
 * model (named by a flag, in the input, or in the configuration), or the default. Each command says which it was.
 */
import { mainWindow, type MainWindow } from "../config/engine-settings.ts";
import type { Configuration } from "../config/schema.ts";
import { count } from "./amounts.ts";
import type { Arguments } from "./command.ts";
import { visibleLine } from "./visible.ts";

type NamedBy = "flag" | "input" | "configuration";

export interface Window {
  readonly tokens: number;
  readonly from: "flag" | "example" | MainWindow["from"];
  /** The model that was looked up, and who named it. */
  readonly model?: { readonly name: string; readonly namedBy: NamedBy };
}

/** `input` is the model that the transcript names. */
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
  return `${count(tokens)} tokens, ${originOf(from, model)}`;
}

function originOf(from: Window["from"], model: Window["model"]): string {
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
