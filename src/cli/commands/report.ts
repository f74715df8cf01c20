/** `precis report`: what precis would have done to the sessions of the last week, from their files alone. */
import { engineSettingsOf } from "../../config/engine-settings.ts";
import { loadConfiguration } from "../../config/load.ts";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { outlookOf, type NamedOutlook } from "../../session/outlook/outlook.ts";
import { sessionOutlook } from "../../session/outlook/session.ts";
import { lookUp, registryOf } from "../../models/index.ts";
import type { PluginSource } from "../../plugins/load.ts";
import { reasonOf } from "../../platform/system-errors.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { initialFactor } from "../../session/state.ts";
import { counted, durationOf, tokensOf, wholeOf, change, count, percent } from "../amounts.ts";
import type { Arguments, Command } from "../command.ts";
import { withEngine } from "../engine.ts";
import { EXIT, type ExitCode, usageError } from "../exit.ts";
import { readFileInput } from "../input.ts";
import { withProgress, type Progress } from "../progress.ts";
import { reportPage, type Report } from "../report-page.ts";
import { sessionFiles, type SessionFile } from "../session-files.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";
import type { Terminal } from "../terminal.ts";
import { windowFor } from "../window.ts";
import type { Status } from "../../gateway/operation/own-routes.ts";
import { gatewayUrl } from "../gateway-url.ts";
import { operatorToken } from "../operator-token.ts";

const SINCE_DEFAULT = "7d";
const FILES_DEFAULT = 200;
const FILES_MAX = 10_000;
const FILE_BYTES_MAX = 200_000_000;

export const reportCommand: Command = {
  name: "report",
  summary: "Say what precis would have done to the sessions of the last week, from their files.",
  about: [
    "For each session of Claude Code, Codex, pi or Gemini CLI: when it would have been compacted, what that would have saved and lost, and how much of what the agent used afterwards would still have been there; then the settings that follow. Nothing is changed, no model is called, and nothing leaves the machine.",
    "Without a folder it looks where these agents keep their sessions. With --gateway it asks a running gateway instead, for example one in observe mode, what it did and would have done since it started.",
  ],
  examples: [
    { line: "precis report", says: "your own sessions of the last seven days" },
    { line: "precis report ~/.claude/projects --since 30d", says: "a month of one agent" },
    { line: "precis report session.jsonl --json | jq .advice", says: "for a script" },
    { line: "precis report --gateway", says: "what a gateway in observe mode would have done" },
  ],
  args: {
    paths: {
      type: "positional",
      required: false,
      valueHint: "FOLDER|FILE",
      description: "Session files, or folders of them; where the agents keep theirs by default.",
    },
    since: {
      type: "string",
      valueHint: "TIME",
      description: `Files in folders that were changed within this time; ${SINCE_DEFAULT} by default.`,
    },
    limit: {
      type: "string",
      valueHint: "N",
      description: `Maximum number of files, the newest first; ${FILES_DEFAULT} by default.`,
    },
    "prompt-tokens": {
      type: "string",
      valueHint: "TOKENS",
      description: "Size of the system prompt and the tools, because session files do not contain them.",
    },
    gateway: { type: "boolean", description: "Ask the gateway at the configured address instead of reading files." },
    json: { type: "boolean", description: "Print JSON." },
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  many: "paths",
  run: async (args, terminal): Promise<ExitCode> => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    if (args.is("gateway")) return observedReport(args, configuration, terminal);
    const report = await withProgress(terminal.err, (progress) =>
      madeReport(args, configuration, { terminal, progress }),
    );
    if (args.is("json")) await terminal.out.write(`${JSON.stringify(report, null, 2)}\n`);
    else await terminal.out.say(reportPage(report, terminal.out));
    const unread = report.sessions.length === 0 && report.skipped.length > 0;
    return unread && args.all("paths").length > 0 ? EXIT.unreadable : EXIT.done;
  },
};

interface Work {
  readonly terminal: Terminal;
  readonly progress: Progress;
}

async function madeReport(args: Arguments, configuration: Configuration, work: Work): Promise<Report> {
  const since = args.text("since") ?? SINCE_DEFAULT;
  const limit = wholeOf(args.text("limit") ?? String(FILES_DEFAULT), "--limit", FILES_MAX);
  const now = Date.now();
  const { files, folders, older } = sessionFiles(args.all("paths"), now - durationOf(since, "--since"), work.terminal);
  if (folders.length === 0)
    throw new PrecisError("no folder of sessions was found", {
      code: "unreadable_input",
      hint: "Name one, for example `precis report ~/.claude/projects`.",
    });
  const taken = files.slice(0, limit);
  work.progress.expect(taken.reduce((sum, { bytes }) => sum + bytes, 0));
  const skipped: Report["skipped"][number][] = [];
  const sessions: NamedOutlook[] = [];
  await withEngine(configuration, work.terminal, async (engine) => {
    const read = await readerFor(args, configuration, { engine, terminal: work.terminal });
    for (const [at, file] of taken.entries()) {
      await work.progress.stage(`session ${at + 1} of ${counted(taken.length, "file")}`, at / taken.length);
      try {
        const outlook = await read(file);
        if (outlook !== undefined) sessions.push(outlook);
      } catch (error) {
        if (!(error instanceof PrecisError)) throw error;
        skipped.push({ name: file.path, because: reasonOf(error) });
      }
    }
  });
  return {
    folders,
    since,
    engine: configuration.context.engine,
    notTaken: files.length - taken.length,
    older,
    skipped,
    ...outlookOf(sessions),
  };
}

interface Reading {
  readonly engine: PluginSource | string;
  readonly terminal: Terminal;
}

/** Undefined for a file in which no model has answered. */
async function readerFor(args: Arguments, configuration: Configuration, { engine, terminal }: Reading) {
  const registry = registryOf(configuration);
  const secrets = await loadSecretRules(configuration.redaction);
  const prompt = args.text("prompt-tokens");
  const promptTokens = prompt === undefined ? 0 : tokensOf(prompt, "--prompt-tokens");
  return async ({ path, bytes }: SessionFile): Promise<NamedOutlook | undefined> => {
    if (bytes > FILE_BYTES_MAX)
      throw new PrecisError(`larger than ${FILE_BYTES_MAX} bytes`, { code: "unreadable_input", hint: "Split it." });
    const { transcript, timesMs, format } = await readFileInput(path, terminal, { history: "all" });
    if (!transcript.messages.some(({ role }) => role === "assistant")) return undefined;
    const window = windowFor(args, configuration, transcript.model);
    const model = window.model?.name;
    const outlook = await sessionOutlook(
      { transcript, timesMs },
      {
        engine,
        settings: engineSettingsOf(configuration, model),
        windowTokens: window.tokens,
        prices: model === undefined ? undefined : lookUp(registry, model)?.prices,
        factor: model === undefined ? 1 : initialFactor(model),
        promptTokens,
        secrets,
      },
    );
    return { name: path, format, model, windowAssumed: window.from === "assumed", ...outlook };
  };
}

type Fact = readonly [name: string, says: string];

/** `precis report --gateway`: what a running gateway did, and in observe mode would have done, since it started. */
async function observedReport(args: Arguments, configuration: Configuration, terminal: Terminal): Promise<ExitCode> {
  if (args.all("paths").length > 0)
    throw usageError("--gateway and files exclude one another", "Leave out one of them.");
  const status = (await gatewayJson("/", configuration, terminal)) as Status;
  const verdict = verdictOf(status);
  const facts = factsOf(status);
  if (args.is("json")) await terminal.out.write(`${JSON.stringify(status, null, 2)}\n`);
  else {
    const lines = facts.map(([name, says]) => `  ${terminal.out.paint("dim", name.padEnd(14))}${says}`);
    await terminal.out.say(`${[terminal.out.paint("strong", verdict), ...lines].join("\n")}\n`);
  }
  return EXIT.done;
}

function verdictOf({ totals, mode }: Status): string {
  const { observed, treatments } = totals;
  const rewritten = observed.before - observed.after;
  if (totals.requests === 0) return "No requests yet.";
  if (mode !== "observe")
    return `This gateway is in mode ${mode}: ${counted(treatments.rewritten, "request")} went out shorter.`;
  if (treatments.observed === 0) return `Of ${counted(totals.requests, "request")}, none would have been shortened.`;
  return `Of ${counted(totals.requests, "request")}, ${count(treatments.observed)} would have been shortened, with ${percent(rewritten / Math.max(1, observed.before))} of their tokens taken out.`;
}

function factsOf({ totals, upSeconds, mode, version: running }: Status): readonly Fact[] {
  const { observed, context, compactions, lost, cache, usage, timing } = totals;
  const sizes = mode === "observe" ? observed : context;
  return [
    ["gateway", `precis ${running}, mode ${mode}, up ${Math.round(upSeconds / 60)} minutes`],
    ...(sizes.before === 0
      ? []
      : [["tokens", `${count(sizes.before)} → ${count(sizes.after)} (${change(sizes.before, sizes.after)})`] as const]),
    ["compactions", count(compactions)],
    ...(lost.compactions === 0
      ? []
      : [
          [
            "lost",
            `${counted(lost.requests, "user message")} of ${counted(lost.compactions, "compaction")} may be missing`,
          ] as const,
        ]),
    ["cache", `${percent(usage.cacheRead / Math.max(1, usage.input))} of the input read from a cache`],
    [
      "missed",
      `${count(cache.missed.tokens)} tokens that the cache had held, ${count(cache.missedByCompaction.tokens)} of them because of compactions`,
    ],
    ...Object.entries(timing).map(([model, { thresholdTokens }]): Fact => [
      model,
      `compaction from ${count(thresholdTokens)} tokens on`,
    ]),
  ];
}

/** A running gateway as the operator asks it: at the configured address, with this machine's token. */
const ANSWER_WITHIN_MS = 5_000;

/** The JSON under `/_precis`. @throws PrecisError `no_gateway`. */
async function gatewayJson(path: string, configuration: Configuration, terminal: Terminal): Promise<unknown> {
  const { host, port } = configuration.gateway;
  const url = gatewayUrl(host, port);
  const token = operatorToken(configuration, terminal)?.token;
  const response = await fetch(`${url}/_precis${path}`, {
    headers: { accept: "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((cause: unknown) => {
    throw new PrecisError(`no gateway answers at ${url}`, {
      code: "no_gateway",
      hint: "Start one with `precis serve`, or name its port with --set gateway.port=N.",
      cause,
    });
  });
  if (response.ok) return response.json();
  throw new PrecisError(`the gateway at ${url} answered ${response.status}`, {
    code: "no_gateway",
    hint: "It needs the operator's token: `precis token` prints the one of this machine.",
  });
}
