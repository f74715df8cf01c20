/** `precis run`: a client behind the gateway, with nothing to set up and nothing left behind. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { loadConfiguration } from "../../config/load.ts";
import { option, optional, positional, type Arguments, type Command } from "../program/command.ts";
import { usageError, type ExitCode } from "../program/exit.ts";
import { gatewayUrl, isGateway, startGateway } from "../gateway/process.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings/flags.ts";
import type { Terminal } from "../screen/terminal.ts";
import { fileURLToPath } from "node:url";
import type { Environment } from "../../config/environment.ts";

/** How a client is started: the environment and the arguments with which it sends its requests to a gateway. */
interface ClientStart {
  readonly command: string;
  readonly words: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface RunnableClient {
  readonly package: string;
  readonly start: (url: string, environment: Environment) => ClientStart;
}

export const RUNNABLE_CLIENTS: Readonly<Record<string, RunnableClient>> = {
  claude: {
    package: "@anthropic-ai/claude-code",
    start: (url, { ENABLE_TOOL_SEARCH = "true" }) => ({
      command: "claude",
      words: [],
      // At any address but the vendor's own, Claude Code switches its tool search off unless it is told not to.
      environment: { ANTHROPIC_BASE_URL: url, ENABLE_TOOL_SEARCH },
    }),
  },
  codex: {
    package: "@openai/codex",
    start: (url) => ({
      command: "codex",
      words: [
        ["model_provider", '"precis"'],
        ["model_providers.precis.name", '"precis"'],
        ["model_providers.precis.base_url", JSON.stringify(`${url}/v1`)],
        ["model_providers.precis.env_key", '"OPENAI_API_KEY"'],
        ["model_providers.precis.wire_api", '"responses"'],
      ].flatMap(([key, value]) => ["-c", `${key}=${value}`]),
      environment: {},
    }),
  },
  copilot: {
    package: "@github/copilot",
    // Only with a provider of one's own: what GitHub hosts is reached at no other address.
    start: (url, { COPILOT_PROVIDER_TYPE: type }) => ({
      command: "copilot",
      words: [],
      environment: { COPILOT_PROVIDER_BASE_URL: type === "anthropic" ? url : `${url}/v1` },
    }),
  },
  gemini: {
    package: "@google/gemini-cli",
    start: (url) => ({ command: "gemini", words: [], environment: { GOOGLE_GEMINI_BASE_URL: url } }),
  },
  opencode: {
    package: "opencode-ai",
    start: (url, { OPENCODE_CONFIG_CONTENT: given }) => ({
      command: "opencode",
      words: [],
      environment: { OPENCODE_CONFIG_CONTENT: openCodeConfiguration(url, given) },
    }),
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    start: (url) => ({ command: "qwen", words: [], environment: { OPENAI_BASE_URL: `${url}/v1` } }),
  },
  pi: {
    package: "@earendil-works/pi-coding-agent",
    // It reads no base URL from its environment, but an extension may set those of its providers.
    start: (url) => ({
      command: "pi",
      words: ["--extension", PI_EXTENSION],
      environment: { PRECIS_PI_GATEWAY: url },
    }),
  },
};

/** `.ts` in a checkout, `.js` in the package. */
const PI_EXTENSION = fileURLToPath(new URL(`../../integrations/pi/index${import.meta.url.slice(-3)}`, import.meta.url));

/** Any other program: with the variables that SDKs read. */
function startOfProgram(url: string, [command = "", ...words]: readonly string[]): ClientStart {
  const environment = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url };
  return { command, words, environment };
}

/** Where the person's own base URLs lead: the gateway sends requests on to there. */
export function readUpstreams(environment: Environment): readonly string[] {
  const { COPILOT_PROVIDER_BASE_URL: copilot, COPILOT_PROVIDER_TYPE: type } = environment;
  const given = type === "anthropic" ? { anthropic: copilot } : { openai: copilot };
  const { ANTHROPIC_BASE_URL: anthropic = given.anthropic, OPENAI_BASE_URL: openai = given.openai } = environment;
  const { GOOGLE_GEMINI_BASE_URL: google } = environment;
  return Object.entries({ anthropic, openai, google }).flatMap(([name, url]) =>
    url === undefined || url === "" ? [] : ["--upstream", `${name}=${url}`],
  );
}

/** OpenCode lays this over its files; what the person put there stays. */
function openCodeConfiguration(url: string, given: string | undefined): string {
  const own = given === undefined || given === "" ? {} : parseConfiguration(given);
  const providers = (own["provider"] ?? {}) as Readonly<Record<string, { readonly options?: object } | undefined>>;
  const at = (baseURL: string, name: string) => ({
    [name]: { ...providers[name], options: { ...providers[name]?.options, baseURL } },
  });
  const provider = {
    ...providers,
    ...at(`${url}/v1`, "anthropic"),
    ...at(`${url}/v1`, "openai"),
    ...at(`${url}/v1beta`, "google"),
  };
  return JSON.stringify({ ...own, provider });
}

function parseConfiguration(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw usageError("OPENCODE_CONFIG_CONTENT is not JSON", "Correct the variable, or unset it.");
  }
}

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
  examples: {
    "precis run claude": "Claude Code, past its window",
    'precis run codex exec "fix the failing test"': "arguments are the client's",
    "precis run --summarize main claude --continue": "flags before the name are the gateway's",
    "precis run -- python agent.py": "a program that uses one of the vendors' SDKs",
  },
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
