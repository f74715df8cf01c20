/** The flags through which a command line overrides the configuration. */
import type { ArgsDef } from "citty";
import type { Flag, Request } from "../config/load.ts";
import type { PrecisError } from "../core/errors.ts";
import { tokensOf } from "./amounts.ts";
import type { Arguments } from "./command.ts";
import { usageError } from "./exit.ts";
import { explained, type Terminal } from "./terminal.ts";

export const CONFIG_FLAGS = {
  config: { type: "string", valueHint: "FILE", description: "Read this configuration file instead of the project's." },
  set: {
    type: "string",
    valueHint: "KEY=VALUE",
    description: "Override a setting, for example compression.threshold=0.4. May be repeated.",
  },
} as const satisfies ArgsDef;

export const ENGINE_FLAGS = {
  engine: { type: "string", valueHint: "NAME", description: "The engine to compact with (context.engine)." },
  "context-length": {
    type: "string",
    valueHint: "TOKENS",
    description: "The model's window, for example 200k (model.context_length).",
  },
} as const satisfies ArgsDef;

/** Where the configuration of this run comes from. */
export function configurationRequest(
  args: Arguments,
  terminal: Terminal,
): Request & Required<Pick<Request, "leaveOut">> {
  const { folder, environment, platform } = terminal;
  const flags: Flag[] = args.all("set").map(settingOf);
  const engine = args.text("engine");
  const window = args.text("context-length");
  if (engine !== undefined) flags.push({ path: "context.engine", text: engine, label: "--engine" });
  if (window !== undefined) {
    const text = String(tokensOf(window, "--context-length"));
    flags.push({ path: "model.context_length", text, label: "--context-length" });
  }
  const leaveOut = (why: PrecisError): Promise<void> => terminal.err.say(explained(why, terminal));
  return { folder, environment, platform, flags, file: args.text("config"), leaveOut };
}

function settingOf(pair: string): Flag {
  const at = pair.indexOf("=");
  if (at < 1)
    throw usageError(`--set is "${pair}"; expected KEY=VALUE`, "Write for example `--set compression.threshold=0.4`.");
  return { path: pair.slice(0, at), text: pair.slice(at + 1), label: "--set" };
}
