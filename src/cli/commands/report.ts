/** `precis report`: what precis would have done to the sessions of the last week, from their files alone. */
import { toEngineSettings } from "../../config/engine-settings.ts";
import { loadConfiguration } from "../../config/load.ts";
import type { Configuration } from "../../config/schema.ts";
import { PrecisError } from "../../core/errors.ts";
import { outlookOf, type NamedOutlook, type Outlook } from "../../session/outlook/outlook.ts";
import { sessionOutlook } from "../../session/outlook/session.ts";
import { lookUp } from "../../models/registry/registry.ts";
import { registryOf } from "../../models/settings.ts";
import type { PluginSource } from "../../plugins/load.ts";
import { reasonOf } from "../../platform/system-errors.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { initialFactor } from "../../session/state.ts";
import { counted, parseDuration, parseTokens, parseWhole, change, count, percent } from "../screen/amounts.ts";
import { option, optional, positional, toggle, type Arguments, type Command } from "../program/command.ts";
import { withEngine } from "../settings/engine.ts";
import { EXIT, type ExitCode, usageError } from "../program/exit.ts";
import { readFileInput } from "../files/input.ts";
import { withProgress, type Progress } from "../screen/progress.ts";
import { CONFIG_FLAGS, configurationRequest, ENGINE_FLAGS, windowFor } from "../settings/flags.ts";
import type { Terminal, Stream } from "../screen/terminal.ts";
import { wrapped, clip, columnWidths, padStart, visibleLine } from "../screen/text.ts";
import { RECEIPT_NAMES } from "../screen/receipt-names.ts";
import { namedLines } from "../screen/table.ts";
import { readdirSync, statSync, type Dirent } from "node:fs";
import { join, resolve } from "node:path";
import { placeOf } from "../../logs/places.ts";

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
  examples: {
    "precis report": "your own sessions of the last seven days",
    "precis report ~/.claude/projects --since 30d": "a month of one agent",
    "precis report session.jsonl --json | jq .advice": "for a script",
  },
  args: {
    paths: optional(
      positional("FOLDER|FILE", "Session files, or folders of them; where the agents keep theirs by default."),
    ),
    since: option("TIME", `Files in folders that were changed within this time; ${SINCE_DEFAULT} by default.`),
    limit: option("N", `Maximum number of files, the newest first; ${FILES_DEFAULT} by default.`),
    "prompt-tokens": option(
      "TOKENS",
      "Size of the system prompt and the tools, because session files do not contain them.",
    ),
    json: toggle("Print JSON."),
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  many: "paths",
  run: async (args, terminal): Promise<ExitCode> => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    const report = await withProgress(terminal.err, (progress) =>
      madeReport(args, configuration, { terminal, progress }),
    );
    if (args.is("json")) await terminal.out.put(`${JSON.stringify(report, null, 2)}\n`);
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
  const limit = parseWhole(args.text("limit") ?? String(FILES_DEFAULT), "--limit", FILES_MAX);
  const now = Date.now();
  const { files, folders, older } = sessionFiles(
    args.all("paths"),
    now - parseDuration(since, "--since"),
    work.terminal,
  );
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
  const promptTokens = prompt === undefined ? 0 : parseTokens(prompt, "--prompt-tokens");
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
        settings: toEngineSettings(configuration, model),
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

export interface Report extends Outlook {
  readonly folders: readonly string[];
  readonly since: string;
  readonly engine: string;
  readonly notTaken: number;
  readonly older: number;
  readonly skipped: readonly { readonly name: string; readonly because: string }[];
}

const SESSIONS_SHOWN_MAX = 12;
const SKIPPED_SHOWN_MAX = 3;
const EXAMPLE_COLUMNS_MAX = 48;
const NAME_COLUMNS = 14;
/** On narrower terminals the table has a column less. */
const WIDE_COLUMNS = 60;

function reportPage(report: Report, stream: Stream): string {
  const { paint } = stream;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ["", paint("strong", title), ...lines];
  return [
    ...wrapped(verdict(report), stream.columns).map((line) => paint("strong", line)),
    ...facts(report).flatMap(([name, says]) => named(name, says, stream)),
    ...section("Sessions with the largest savings", sessionRows(report.sessions, stream)),
    ...section("What the results do not hold", missingLines(report, stream)),
    ...section("Settings that follow", adviceLines(report, stream)),
    ...section("Not looked at", skippedLines(report, stream)),
    "",
  ].join("\n");
}

function verdict({ sessions, compacted, compactions, tokens }: Report): string {
  if (sessions.length === 0) return "No session with an answer of a model was found.";
  const of = counted(sessions.length, "session");
  if (compactions === 0) return `precis would have left all of ${of} as they are.`;
  return `precis would have compacted ${compacted} of ${of}, ${counted(compactions, "time")} in all: ${change(tokens.without, tokens.with)} input tokens.`;
}

function facts(report: Report): readonly (readonly [name: string, says: string])[] {
  const { requests, tokens, usd, agentCompactions, later, since, engine, folders } = report;
  if (report.sessions.length === 0) return [["looked at", `${folders.join(", ")}, files of the last ${since}`]];
  return [
    ["looked at", `${counted(requests, "request")} of the last ${since} in ${folders.join(", ")}; engine ${engine}`],
    ["input", `${count(tokens.without)} tokens as the agents sent them, ${count(tokens.with)} with precis`],
    ...(usd === undefined ? [] : [["cost", costText(usd, report.sessions.length)] as const]),
    [
      "agents",
      agentCompactions === 0
        ? "they did not compact by themselves"
        : `they compacted ${counted(agentCompactions, "time")} by themselves, with a model`,
    ],
    ...(later.used === 0
      ? []
      : [
          [
            "used later",
            `${percent(later.held / later.used)} of ${counted(later.used, "identifier")} that the agents used after a compaction would still have been in their context`,
          ] as const,
        ]),
  ];
}

function costText({ without, with: with_, sessions }: NonNullable<Report["usd"]>, all: number): string {
  const only = sessions === all ? "" : `, for the ${sessions} whose model has a known price`;
  return `about ${dollars(without)} as sent, ${dollars(with_)} with precis (${change(without, with_)})${only}; both with a prompt cache of five minutes`;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

function named(name: string, says: string, stream: Stream): readonly string[] {
  return namedLines(name, says, { left: NAME_COLUMNS }, stream);
}

function bySavings(sessions: readonly NamedOutlook[]): readonly NamedOutlook[] {
  return sessions
    .filter((one) => one.compactions.length > 0)
    .toSorted((a, b) => b.without.inputTokens - b.with.inputTokens - (a.without.inputTokens - a.with.inputTokens));
}

function shortName(path: string): string {
  return path.split(/[/\\]/).slice(-2).join("/");
}

function sessionRows(sessions: readonly NamedOutlook[], { paint, columns }: Stream): readonly string[] {
  const shown = bySavings(sessions).slice(0, SESSIONS_SHOWN_MAX);
  if (shown.length === 0) return [];
  const wide = columns >= WIDE_COLUMNS;
  const header = ["requests", "largest", wide ? "with precis" : "with", ...(wide ? ["cuts"] : []), "input"];
  const rows = shown.map((one) => [
    count(one.requests),
    count(one.largest.without),
    count(one.largest.with),
    ...(wide ? [count(one.compactions.length)] : []),
    change(one.without.inputTokens, one.with.inputTokens),
  ]);
  const widths = columnWidths([header, ...rows]);
  const cells = (row: readonly string[]): string => row.map((cell, at) => padStart(cell, widths[at]!)).join("  ");
  return [
    `  ${paint("dim", cells(header))}`,
    ...rows.flatMap((row, at) => {
      const figures = cells(row);
      const room = columns - figures.length - 4;
      const name = shortName(shown[at]!.name);
      return room >= 24
        ? [`  ${figures}  ${paint("dim", clip(name, room))}`]
        : [`  ${figures}`, `    ${paint("dim", clip(name, columns - 4))}`];
    }),
  ];
}

function missingLines({ missing }: Report, stream: Stream): readonly string[] {
  return missing.flatMap(({ kind, recallable, lost, examples }) => [
    ...named(RECEIPT_NAMES[kind], `${count(recallable)} recallable, ${count(lost)} lost`, stream),
    ...examples.map(
      (one) => `${" ".repeat(NAME_COLUMNS + 2)}${stream.paint("dim", `"${clip(one, EXAMPLE_COLUMNS_MAX)}"`)}`,
    ),
  ]);
}

function adviceLines({ advice }: Report, { paint, columns }: Stream): readonly string[] {
  return advice.flatMap(({ setting, because }) => [
    ...(setting === undefined ? [] : [`  ${paint("accent", setting)}`]),
    ...wrapped(visibleLine(because), columns - 4).map((line) => `    ${line}`),
  ]);
}

function skippedLines({ skipped, older, notTaken }: Report, { columns }: Stream): readonly string[] {
  return [
    ...(older === 0 ? [] : [`  ${counted(older, "older file")}: --since looks further back`]),
    ...(notTaken === 0 ? [] : [`  ${counted(notTaken, "file")} beyond the limit: raise it with --limit`]),
    ...skipped
      .slice(0, SKIPPED_SHOWN_MAX)
      .map(({ name, because }) => `  ${clip(visibleLine(`${shortName(name)}: ${because}`), columns - 2)}`),
    ...(skipped.length > SKIPPED_SHOWN_MAX
      ? [`  and ${counted(skipped.length - SKIPPED_SHOWN_MAX, "more file")} that could not be read`]
      : []),
  ];
}

const SESSION_FILE = /\.jsonl?(?:\.zstd)?$/;
/** More are not looked at, so that a folder named by mistake ends. */
const ENTRIES_MAX = 200_000;

interface SessionFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedAtMs: number;
}

function agentFolders({ environment, folder }: Pick<Terminal, "environment" | "folder">): readonly string[] {
  return (["claude-code", "codex", "pi", "gemini", "dsh"] as const)
    .flatMap((agent) => placeOf(agent, environment, folder).roots)
    .filter((root) => statSync(root, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** Files that were named are taken whatever their age. Throws a usage error for a path that is not there. */
function sessionFiles(paths: readonly string[], sinceMs: number, terminal: Pick<Terminal, "environment" | "folder">) {
  const folders = paths.length === 0 ? agentFolders(terminal) : paths.map((one) => resolve(terminal.folder, one));
  const found = new Map<string, SessionFile>();
  let older = 0;
  for (const folder of folders) {
    const there = statSync(folder, { throwIfNoEntry: false });
    if (there === undefined) throw usageError(`${folder} is not there`, "Name session files, or folders of them.");
    const isFile = !there.isDirectory();
    for (const path of isFile ? [folder] : filesBelow(folder)) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) continue;
      if (!isFile && stats.mtimeMs < sinceMs) older++;
      else found.set(path, { path, bytes: stats.size, changedAtMs: stats.mtimeMs });
    }
  }
  return { files: [...found.values()].toSorted((a, b) => b.changedAtMs - a.changedAtMs), folders, older };
}

/** A folder that may not be read is passed over. */
function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const waiting = [folder];
  for (let entries = 0; waiting.length > 0 && entries < ENTRIES_MAX;) {
    const next = waiting.pop()!;
    for (const entry of listEntries(next)) {
      entries++;
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
      else if (entry.isFile() && SESSION_FILE.test(entry.name)) found.push(join(next, entry.name));
    }
  }
  return found;
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
