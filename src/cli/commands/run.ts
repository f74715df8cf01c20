/** `precis run`: a client behind the gateway, with nothing to set up and nothing left behind. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { loadConfiguration } from "../../config/load.ts";
import { exampleLines, option, optional, positional, type Arguments, type Command } from "../program/command.ts";
import { usageError, type ExitCode } from "../program/exit.ts";
import { gatewayUrl, isGateway, startGateway } from "../gateway/process.ts";
import { RUNNABLE_CLIENTS, startOfProgram, readUpstreams, type ClientStart } from "../clients/run.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings/flags.ts";
import type { Terminal } from "../screen/terminal.ts";

const NAMES = Object.keys(RUNNABLE_CLIENTS);
/** Handed on to a gateway of its own. */
const GATEWAY_FLAGS = ["config", "set", "engine", "context-length", "store", "summarize", "upstream"] as const;

export const runCommand: Command = {
  name: "run",
  summary: "Start Claude Code, Codex, Gemini CLI, OpenCode or pi behind the gateway, with nothing to set up.",
  about: [
    "Uses the gateway that runs at the configured address, or starts one that ends with the client. The client gets the environment variables and arguments that it needs; its settings files are not changed, and nothing is left behind except for the stored sessions. A base URL in your environment becomes the gateway's upstream.",
    "Everything after the client's name belongs to the client. `precis run -- COMMAND` starts any other program with the variables that the vendors' SDKs read. It ends with the client's own exit code.",
  ],
  examples: exampleLines({
    "precis run claude": "Claude Code, past its window",
    'precis run codex exec "fix the failing test"': "arguments are the client's",
    "precis run --summarize main claude --continue": "flags before the name are the gateway's",
    "precis run -- python agent.py": "a program that uses one of the vendors' SDKs",
  }),
  args: {
    client: optional(positional("CLIENT [ARGUMENTS]", `One of ${NAMES.join(", ")}, or after \`--\` any command.`)),
    store: option("FILE", "As for `precis serve`."),
    summarize: option("MODEL|main", "As for `precis serve`."),
    upstream: option("[NAME=]URL", "As for `precis serve`."),
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  many: "client",
  arrange: withClientApart,
  run,
};

/** Puts `--` behind the client's name, so that its flags are not taken for ours. */
function withClientApart(words: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length && words[at]!.startsWith("-") && words[at] !== "--")
    at += words[at]!.includes("=") || ["-h", "--help"].includes(words[at]!) ? 1 : 2;
  if (words[at] === undefined || words[at] === "--") return words;
  return [...words.slice(0, at), "--", NAMED, ...words.slice(at)];
}

/** Marks a client that was named without `--`. */
const NAMED = "\u0000client";

async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [first, ...others] = args.all("client");
  if (first === undefined)
    throw usageError("no client is named", `Name one of ${NAMES.join(", ")}, or \`-- COMMAND\`.`);
  const isNamed = first === NAMED;
  const [name = "", ...words] = isNamed ? others : [];
  const client = isNamed ? RUNNABLE_CLIENTS[name] : undefined;
  if (isNamed && client === undefined) throw unknownClient(name);
  const gateway = await gatewayFor(args, terminal);
  try {
    const start =
      client === undefined
        ? startOfProgram(gateway.url, [first, ...others])
        : client.start(gateway.url, terminal.environment);
    return await startClient(start, words, terminal, client?.package);
  } finally {
    await gateway.close();
  }
}

/** With flags of its own it is one of its own. */
async function gatewayFor(args: Arguments, terminal: Terminal) {
  const flags = GATEWAY_FLAGS.flatMap((flag) =>
    (args.all(flag).length > 0 ? args.all(flag) : [args.text(flag)]).flatMap((value) =>
      value === undefined ? [] : [`--${flag}`, value],
    ),
  );
  if (flags.length === 0) {
    const { gateway } = await loadConfiguration(configurationRequest(args, terminal));
    const url = gatewayUrl(gateway.host, gateway.port);
    if (await isGateway(url)) return { url, close: async () => {} };
  }
  return startGateway([...readUpstreams(terminal.environment), ...flags], { ...terminal.environment });
}

async function startClient(
  { command, words: own, environment }: ClientStart,
  words: readonly string[],
  terminal: Terminal,
  packageName: string | undefined,
): Promise<ExitCode> {
  const child = spawn(command, [...own, ...words], {
    cwd: terminal.folder,
    env: { ...terminal.environment, ...environment },
    stdio: "inherit",
  });
  // Ctrl-C is the client's: it decides what it means.
  const end = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", ignore);
  process.on("SIGTERM", end);
  process.on("SIGHUP", end);
  try {
    return await new Promise<ExitCode>((done, fail) => {
      child.once("error", (error) => fail(notStarted(error, command, packageName)));
      child.once("close", (code, signal) => done((code ?? FIRST_SIGNAL + constants.signals[signal!]) as ExitCode));
    });
  } finally {
    process.off("SIGINT", ignore);
    process.off("SIGTERM", end);
    process.off("SIGHUP", end);
  }
}

function ignore(): void {}

/** What a shell makes of a program that a signal ended. */
const FIRST_SIGNAL = 128;

function unknownClient(name: string) {
  return usageError(
    `\`precis run\` knows no client "${name}"`,
    `It knows ${NAMES.join(", ")}; start anything else with \`precis run -- ${name}\`.`,
  );
}

function notStarted(error: Error, command: string, packageName: string | undefined): Error {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") return error;
  const hint =
    packageName === undefined
      ? "Check its name, and that it is on your PATH."
      : `Install it with \`npm install --global ${packageName}\`, or put it on your PATH.`;
  return usageError(`there is no command \`${command}\``, hint);
}
