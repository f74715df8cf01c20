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
import { initialFactor } from "../../session/calibration.ts";
import { counted, durationOf, tokensOf, wholeOf } from "../amounts.ts";
import type { Arguments, Command } from "../command.ts";
import { withEngine } from "../engine.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { readFileInput } from "../input.ts";
import { withProgress, type Progress } from "../progress.ts";
import { reportPage, type Report } from "../report-page.ts";
import { sessionFiles, type SessionFile } from "../session-files.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS } from "../settings-flags.ts";
import type { Terminal } from "../terminal.ts";
import { windowFor } from "../window.ts";

const SINCE_DEFAULT = "7d";
const FILES_DEFAULT = 200;
const FILES_MAX = 10_000;
const FILE_BYTES_MAX = 200_000_000;

export const reportCommand: Command = {
  name: "report",
  summary: "Say what precis would have done to the sessions of the last week, from their files.",
  about: [
    "For each session of Claude Code, Codex, pi or Gemini CLI: when it would have been compacted, what that would have saved and lost, and how much of what the agent used afterwards would still have been there; then the settings that follow. Nothing is changed, no model is called, and nothing leaves the machine.",
    "Without a folder it looks where these agents keep their sessions.",
  ],
  examples: [
    { line: "precis report", says: "your own sessions of the last seven days" },
    { line: "precis report ~/.claude/projects --since 30d", says: "a month of one agent" },
    { line: "precis report session.jsonl --json | jq .advice", says: "for a script" },
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
    json: { type: "boolean", description: "Print JSON." },
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  many: "paths",
  run: async (args, terminal): Promise<ExitCode> => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
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
