/** `precis-provider`: the strict provider on a port, until it is interrupted. */
import type { ArgsDef } from "citty";
import type { Provider, ProviderOptions } from "./provider.ts";
import type { RequestRecord } from "./record.ts";
import { count, parseTokens } from "../../src/cli/screen/amounts.ts";
import type { Arguments, Command } from "../../src/cli/program/command.ts";
import { EXIT, usageError, type ExitCode } from "../../src/cli/program/exit.ts";
import { logLine, logObject } from "./log-line.ts";
import { readText } from "../../src/cli/files/read.ts";
import type { Terminal } from "../../src/cli/screen/terminal.ts";

const PORT_DEFAULT = 4010;
const PORT_MAX = 65_535;

const ARGS = {
  port: { type: "string", valueHint: "N", description: `The port; ${PORT_DEFAULT} by default, 0 for any free one.` },
  host: { type: "string", valueHint: "ADDRESS", description: "The address; 127.0.0.1 by default. It takes any key." },
  window: { type: "string", valueHint: "N", description: "The context window of every model, in tokens." },
  model: {
    type: "string",
    valueHint: "NAME=WINDOW",
    description: "A model of your own, or another window for a known one. May be given several times.",
  },
  replay: {
    type: "string",
    valueHint: "FILE",
    description: "A recorded session to answer from, turn by turn, in any format that `precis inspect` reads.",
  },
  script: {
    type: "string",
    valueHint: "FILE",
    description: "Answers in order, as JSON or YAML; the last one is repeated.",
  },
  pace: { type: "string", valueHint: "N", description: "Tokens per second; unlimited by default." },
  fault: {
    type: "string",
    valueHint: "KIND=RATE",
    description:
      "A share of requests, 0 to 1, that fails: 429, 500, 529, stall, cut, malformed, overflow, stream-error, window-stop. May be given several times.",
  },
  "overflow-error": {
    type: "string",
    valueHint: "SERVER",
    description: "Refuse requests above the window with the error of another server, such as vllm, groq or bedrock.",
  },
  seed: { type: "string", valueHint: "N", description: "Seed of faults, ids and signatures; 1 by default." },
  quiet: { type: "boolean", description: "Log no requests." },
  json: { type: "boolean", description: "Log JSON lines on standard output." },
} as const satisfies ArgsDef;

export const providerCommand: Command = {
  program: "precis-provider",
  name: "",
  summary: "Run a strict local model provider, to test agents and gateways against.",
  about: [
    "Serves OpenAI Chat Completions, OpenAI Responses, Anthropic Messages and the Gemini API on this machine. Takes any key, costs nothing, and refuses what the vendors refuse, with their error messages: unpaired tool calls, wrong roles, too many cache markers, thinking whose conversation changed, prompts above the window. Accounts for prompt caching by their rules at GET /_precis/account.",
    "Answers by an echo, by a script, or from a recorded session. Runs until it is interrupted.",
  ],
  examples: {
    "precis-provider --window 64k": "a provider with a small window",
    "precis-provider --replay session.jsonl --pace 80": "replay a session at the speed of a model",
    "precis-provider --fault 529=0.05 --fault cut=0.02 --seed 7": "reproducible faults",
  },
  args: ARGS,
  run,
};

async function run(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const port = integerOf(args.text("port") ?? String(PORT_DEFAULT), "--port", PORT_MAX);
  const options = await optionsOf(args, terminal);
  const { createProvider } = await import("./provider.ts");
  const json = args.is("json");
  const say = (record: RequestRecord): void => {
    if (args.is("quiet")) return;
    // A log that cannot be written must not end the provider.
    if (json) terminal.out.write(`${JSON.stringify(logObject(record))}\n`).catch(() => undefined);
    else void terminal.err.say(logLine(record, terminal.err));
  };
  const provider = createProvider({ ...options, onRequest: say });
  const host = args.text("host");
  const { url, close } = await listening(provider, { port, ...(host === undefined ? {} : { host }) });
  const interrupted = new Promise<void>((done) => {
    process.once("SIGINT", done);
    process.once("SIGTERM", done);
  });
  if (json) await terminal.out.write(`${JSON.stringify({ event: "listening", url })}\n`);
  else await terminal.err.say(startPage(url, terminal));
  await interrupted;
  await close();
  if (!json) await terminal.err.say(endPage(provider));
  return EXIT.done;
}

async function listening(provider: Provider, where: { readonly port: number; readonly host?: string }) {
  try {
    return await provider.listen(where);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const why = code === "EADDRINUSE" ? `port ${where.port} is taken` : message;
    throw usageError(`cannot listen: ${why}`, "Name another with --port, or --port 0 for any free one.");
  }
}

async function optionsOf(args: Arguments, terminal: Terminal): Promise<ProviderOptions> {
  const { window, replay, script, pace, seed } = Object.fromEntries(
    (["window", "replay", "script", "pace", "seed"] as const).map((name) => [name, args.text(name)]),
  );
  if (replay !== undefined && script !== undefined)
    throw usageError("--replay and --script exclude one another", "Answer from a recording or from a script.");
  const models = args.all("model").map((pair) => modelOf(pair));
  const recorded = replay === undefined ? undefined : await readText(replay, terminal);
  const written = script === undefined ? undefined : await readText(script, terminal);
  const { readRecording } = await import("./replay.ts");
  const { readScript } = await import("./script-file.ts");
  return {
    models: Object.fromEntries(models),
    every: {
      ...(window === undefined ? {} : { windowTokens: parseTokens(window, "--window") }),
      ...(await wordsOf(args.text("overflow-error"))),
    },
    ...(recorded === undefined ? {} : { replay: readRecording(recorded, replay).messages }),
    ...(written === undefined ? {} : { script: readScript(written, script!) }),
    ...(pace === undefined ? {} : { pace: parseTokens(pace, "--pace") }),
    ...(seed === undefined ? {} : { seed: integerOf(seed, "--seed", Number.MAX_SAFE_INTEGER) }),
    faults: await ratesOf(args.all("fault")),
    limits: { recordedBytes: 0 },
  };
}

function modelOf(pair: string): readonly [string, { readonly windowTokens: number }] {
  const at = pair.lastIndexOf("=");
  if (at < 1) throw usageError(`--model is "${pair}"; expected NAME=WINDOW`, "Write for example `--model mine=64k`.");
  return [pair.slice(0, at), { windowTokens: parseTokens(pair.slice(at + 1), "--model") }];
}

async function wordsOf(name: string | undefined): Promise<NonNullable<ProviderOptions["every"]>> {
  if (name === undefined) return {};
  const { OVERFLOW_ERROR_NAMES } = await import("./overflow-errors.ts");
  const overflowError = OVERFLOW_ERROR_NAMES.find((one) => one === name);
  if (overflowError !== undefined) return { overflowError };
  throw usageError(`--overflow-error is "${name}"; there is no such server`, `Use ${OVERFLOW_ERROR_NAMES.join(", ")}.`);
}

async function ratesOf(pairs: readonly string[]): Promise<NonNullable<ProviderOptions["faults"]>> {
  const { faultKind, FAULT_KINDS } = await import("./faults.ts");
  const rates = pairs.map((pair) => {
    const [name = "", share = ""] = pair.split("=");
    const kind = faultKind(name);
    const rate = Number(share);
    if (kind === undefined)
      throw usageError(`--fault is "${pair}"; there is no such kind`, `Use 429, 500, 529, ${FAULT_KINDS.join(", ")}.`);
    if (share === "" || !(rate >= 0 && rate <= 1))
      throw usageError(
        `--fault is "${pair}"; expected a share from 0 to 1`,
        `Write for example \`--fault ${name}=0.05\`.`,
      );
    return [kind, rate] as const;
  });
  return Object.fromEntries(rates);
}

function integerOf(text: string, flag: string, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (value <= max) return value;
  throw usageError(`${flag} is "${text}"; expected a whole number, 0 to ${max}`, `Leave ${flag} out for its default.`);
}

function startPage(url: string, { err: { paint } }: Terminal): string {
  const rows: readonly (readonly [string, string])[] = [
    ["OpenAI clients", `OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=any`],
    ["Anthropic clients", `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=any`],
    ["account", `curl ${url}/_precis/account`],
  ];
  const left = rows.reduce((most, [name]) => Math.max(most, name.length), 0);
  const lines = rows.map(([name, value]) => `  ${paint("dim", name.padEnd(left))}  ${value}`);
  return `${paint("strong", "precis-provider")} on ${paint("accent", url)}\n${lines.join("\n")}\n`;
}

function endPage(provider: Provider): string {
  const { requests, answered, rejected, aborted, tokens, usd } = provider.account().total;
  const refused = Object.values(rejected).reduce((sum, times) => sum + times, 0);
  return `${count(requests)} requests: ${count(answered)} answered, ${count(refused)} refused, ${count(aborted)} given up; ${count(tokens.input)} tokens in, ${count(tokens.cacheRead)} of them read from the cache, ${count(tokens.output)} out; $${usd.toFixed(4)}\n`;
}
