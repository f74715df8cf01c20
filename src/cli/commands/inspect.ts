/** `precis inspect`: where the tokens are, and what a compaction would do about it. Changes nothing. */
import { engineLimits } from "../../config/computed.ts";
import { engineSettingsOf } from "../../config/engine-settings.ts";
import { loadConfiguration } from "../../config/load.ts";
import { createMeasure, type Measure } from "../../core/transcript/measure.ts";
import { count, change, counted, percent } from "../screen/amounts.ts";
import type { Command } from "../program/command.ts";
import { compactInput, type CompactionOutcome } from "../compaction/compact.ts";
import { headingOf } from "../compaction/page.ts";
import { withEngine } from "../settings/engine.ts";
import { EXIT } from "../program/exit.ts";
import {
  imagesOf,
  windowFor,
  windowText,
  type Window,
  CONFIG_FLAGS,
  configurationRequest,
  ENGINE_FLAGS,
} from "../settings/flags.ts";
import { INPUT_ARGS, inputBytes, readInput } from "../files/input.ts";
import { isLarge } from "../files/read.ts";
import { giveMemoryBack } from "../gateway/lean-memory.ts";
import { withProgress } from "../screen/progress.ts";
import { wrapped, clip, columnWidths, padEnd, padStart, track, widthOf } from "../screen/text.ts";
import { withRowNote } from "../screen/table.ts";
import type { Stream } from "../screen/terminal.ts";
import { describeCall, labelOf } from "../../core/digest/call.ts";
import { pairingOf, type PairedCall } from "../../core/transcript/pairing.ts";
import { callsOf, contentText, type Message, type Transcript } from "../../core/transcript/message.ts";

const BUDGET_DEFAULT = "20%";

export const inspectCommand: Command = {
  name: "inspect",
  summary: "Show where a transcript's tokens are, and what a compaction would do.",
  about: [
    "Tokens by role and by tool, the largest results, duplicate results, and a dry run at the configured window and at a budget.",
  ],
  examples: [
    { line: "precis inspect session.jsonl", says: "show what fills the window" },
    { line: "precis inspect session.jsonl --context-length 64k --budget 10%", says: "try another window" },
  ],
  args: {
    ...INPUT_ARGS,
    budget: {
      type: "string",
      valueHint: "N|P%",
      description: `The budget of the second dry run; ${BUDGET_DEFAULT} by default.`,
    },
    json: { type: "boolean", description: "Print JSON." },
    ...ENGINE_FLAGS,
    ...CONFIG_FLAGS,
  },
  run: async (args, terminal) => {
    const configuration = await loadConfiguration(configurationRequest(args, terminal));
    const budget = args.text("budget") ?? BUDGET_DEFAULT;
    const { input, census, atWindow, atBudget } = await withProgress(terminal.err, async (progress) => {
      progress.expect(inputBytes(args, terminal));
      await progress.stage("reading", 0);
      const read = await readInput(args, terminal);
      progress.expect(read.chars);
      await progress.stage("counting", 0.2);
      const counts = censusOf(read.transcript, createMeasure(imagesOf(read.transcript, configuration)));
      await progress.stage("trying a compaction", 0.4);
      return withEngine(configuration, terminal, async (engine) => {
        const first = dryRun("at this window", await compactInput(read, configuration, { force: true, engine }));
        if (isLarge(read.chars)) giveMemoryBack();
        await progress.stage("trying another", 0.7);
        const second = dryRun(`at ${budget}`, await compactInput(read, configuration, { force: true, engine, budget }));
        return { input: read, census: counts, atWindow: first, atBudget: second };
      });
    });
    const dryRuns = [atWindow, atBudget];
    const { name, format, protocol, notes, transcript } = input;
    const window = windowFor(args, configuration, transcript.model);
    const { usableTokens, thresholdTokens } = engineLimits(
      configuration.context.engine,
      engineSettingsOf(configuration, transcript.model),
      createMeasure().transcript({ ...transcript, messages: [] }),
    );
    const heading = headingOf({ name, format, to: protocol, notes }, terminal.out).join("\n");
    if (args.is("json")) {
      const figures = { format, protocol, ...census, window, usableTokens, thresholdTokens, dryRuns, notes };
      await terminal.out.write(`${JSON.stringify(figures, null, 2)}\n`);
    } else {
      const page = censusPage(census, { window, usableTokens, thresholdTokens }, dryRuns, terminal.out);
      await terminal.out.say(`${heading}\n${page}\n`);
    }
    return EXIT.done;
  },
};

function dryRun(name: string, result: CompactionOutcome): DryRun {
  if (result.kind === "unchanged") return { name, before: result.before, after: result.before, says: result.because };
  const { tokens, messages, irreducible } = result.compaction.report;
  const kept = `${count(messages.kept)} kept, ${count(messages.summarised)} summarised`;
  return { name, ...tokens, says: irreducible === undefined ? kept : `irreducible, ${kept}` };
}

const FILL_COLUMNS_MAX = 72;
const TOOLS_SHOWN_MAX = 10;

function layout({ columns }: Stream): { readonly bars: number; readonly names: number } {
  if (columns >= 96) return { bars: 30, names: 28 };
  return columns >= 72 ? { bars: 20, names: 22 } : { bars: 0, names: 18 };
}

function drawnBar(share: number, columns: number): string {
  return columns === 0 ? "" : `${track(share, columns)} `;
}

interface DryRun {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly says: string;
}

interface WindowTokens {
  readonly window: Window;
  readonly usableTokens: number;
  readonly thresholdTokens: number;
}

function censusPage(census: ContextBreakdown, room: WindowTokens, dryRuns: readonly DryRun[], stream: Stream): string {
  const { paint } = stream;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [paint("strong", title), ...lines, ""];
  return [
    ...fill(census, room, stream),
    ...section("By role", weighed(census.roles, census.tokens, "message", stream)),
    ...section("By tool, calls with their results", weighed(census.tools, census.tokens, "call", stream)),
    ...section("Largest results", largest(census, stream)),
    ...section("Duplicate results", repeats(census, stream)),
    ...section("What a compaction would do", dry(dryRuns, stream)),
  ].join("\n");
}

function fill(
  { tokens, messages }: ContextBreakdown,
  room: WindowTokens,
  { paint, columns }: Stream,
): readonly string[] {
  const { window, usableTokens, thresholdTokens } = room;
  const width = Math.min(columns - 4, FILL_COLUMNS_MAX);
  const mark = Math.min(width - 1, Math.floor((thresholdTokens / usableTokens) * width));
  const drawn = [...track(tokens / usableTokens, width)];
  const over = tokens > thresholdTokens;
  const look = over ? "warn" : "good";
  const apart = `${count(Math.abs(tokens - thresholdTokens))} ${over ? "over" : "below"} the threshold of ${count(thresholdTokens)}`;
  const [first = "", ...rest] = wrapped(
    `${count(tokens)} tokens in ${counted(messages, "message")}: ${percent(tokens / usableTokens)} of a usable window of ${count(usableTokens)}`,
    columns,
  );
  return [
    first.replace(count(tokens), paint("strong", count(tokens))),
    ...rest,
    `${paint(look, drawn.slice(0, mark).join(""))}${paint("strong", "┃")}${paint(look, drawn.slice(mark + 1).join(""))}▏`,
    `${" ".repeat(Math.max(0, Math.min(mark, columns - apart.length - 4)))}${paint("dim", clip(apart, columns))}`,
    ...wrapped(`Window: ${windowText(window)}.`, columns).map((line) => paint("dim", line)),
    "",
  ];
}

function weighed(all: readonly TokenShare[], whole: number, noun: string, stream: Stream): readonly string[] {
  const { paint } = stream;
  const { bars, names } = layout(stream);
  const rows = [...all.slice(0, TOOLS_SHOWN_MAX), ...together(all.slice(TOOLS_SHOWN_MAX))];
  const cells = rows.map(({ name, tokens, count: times }) => {
    const share = tokens / Math.max(whole, 1);
    return { name: clip(name, names), drawn: drawnBar(share, bars), tokens, share, says: counted(times, noun) };
  });
  const [left = 0] = columnWidths(cells.map(({ name }) => [name]));
  return cells.flatMap(({ name, drawn, tokens, share, says }) => {
    const figures = `${padStart(count(tokens), 9)} ${padStart(percent(share), 6)}`;
    const line = `  ${padEnd(name, left)}  ${paint("accent", drawn)}${figures}`;
    const width = left + 4 + widthOf(drawn) + figures.length;
    return withRowNote({ line, width, says, look: "dim" }, stream);
  });
}

function together(rest: readonly TokenShare[]): readonly TokenShare[] {
  if (rest.length === 0) return [];
  const sum = (pick: (one: TokenShare) => number): number => rest.reduce((total, one) => total + pick(one), 0);
  return [{ name: `${rest.length} others`, tokens: sum(({ tokens }) => tokens), count: sum((one) => one.count) }];
}

function largest({ largest: results }: ContextBreakdown, stream: Stream): readonly string[] {
  return results.map(({ message, label, tokens }) => listed(tokens, `message ${message + 1}`, label, stream));
}

function repeats({ repeats: all }: ContextBreakdown, stream: Stream): readonly string[] {
  return all.map(({ label, times, tokens }) => listed(tokens, `${times} times`, label, stream));
}

function listed(tokens: number, place: string, label: string, { paint, columns }: Stream): string {
  return `${padStart(count(tokens), 9)} ${paint("dim", padStart(place, 13))}  ${clip(label, columns - 26)}`;
}

function dry(runs: readonly DryRun[], stream: Stream): readonly string[] {
  const { paint } = stream;
  const { bars } = layout(stream);
  const [names = 0] = columnWidths(runs.map(({ name }) => [name]));
  return runs.flatMap(({ name, before, after, says }) => {
    const drawn = drawnBar(after / Math.max(before, 1), bars);
    const figures = `${padStart(count(after), 9)} ${padStart(after === before ? "" : change(before, after), 6)}`;
    const line = `  ${padEnd(name, names)}  ${paint("good", drawn)}${figures}`.trimEnd();
    const width = names + 4 + widthOf(drawn) + figures.length;
    return withRowNote({ line, width, says, look: "dim" }, stream);
  });
}

interface TokenShare {
  readonly name: string;
  readonly tokens: number;
  readonly count: number;
}

interface LargeResult {
  readonly message: number;
  readonly label: string;
  readonly tokens: number;
}

interface DuplicateResult {
  readonly label: string;
  readonly times: number;
  readonly tokens: number;
}

interface ContextBreakdown {
  readonly tokens: number;
  readonly messages: number;
  readonly roles: readonly TokenShare[];
  readonly tools: readonly TokenShare[];
  readonly largest: readonly LargeResult[];
  readonly repeats: readonly DuplicateResult[];
}

const LARGEST_MAX = 8;
const REPEATS_MAX = 8;
/** Shorter results repeat by nature: `ok`, an empty listing. */
const REPEAT_TOKENS_MIN = 50;

function censusOf(transcript: Transcript, measure: Measure): ContextBreakdown {
  const { messages } = transcript;
  const { answers } = pairingOf(messages);
  const results = messages.flatMap((message, at) =>
    message.role === "tool" ? [{ message: at, label: labelFor(answers[at]), tokens: weightOf(message, measure) }] : [],
  );
  return {
    tokens: measure.transcript(transcript),
    messages: messages.length,
    roles: byRole(transcript, measure),
    tools: byTool(messages, answers, measure),
    largest: heaviest(results).slice(0, LARGEST_MAX),
    repeats: repeatsAmong(results, messages).slice(0, REPEATS_MAX),
  };
}

function labelFor(asked: PairedCall | undefined): string {
  return asked === undefined
    ? "a result without its call"
    : labelOf(describeCall(asked.call.name, asked.call.arguments));
}

function byRole({ system, messages, tools }: Transcript, measure: Measure): readonly TokenShare[] {
  const roles = new Map<string, TokenShare>();
  const share = (message: Message): number => weightOf(message, measure);
  for (const message of system) add(roles, "system prompt", share(message));
  if (tools !== undefined) add(roles, "tool declarations", measure.text(tools));
  for (const message of messages) add(roles, ROLE_NAMES[message.role], share(message));
  return heaviest([...roles.values()]);
}

const ROLE_NAMES: Readonly<Record<Message["role"], string>> = {
  system: "system, later",
  user: "user",
  assistant: "assistant",
  tool: "tool results",
};

function byTool(
  messages: readonly Message[],
  answers: readonly (PairedCall | undefined)[],
  measure: Measure,
): readonly TokenShare[] {
  const tools = new Map<string, TokenShare>();
  messages.forEach((message, at) => {
    for (const { name, arguments: text } of callsOf(message)) add(tools, name, measure.text(text));
    const asked = answers[at];
    if (asked !== undefined) add(tools, asked.call.name, weightOf(message, measure), 0);
  });
  return heaviest([...tools.values()]);
}

function add(sums: Map<string, TokenShare>, name: string, tokens: number, more = 1): void {
  const sum = sums.get(name);
  sums.set(name, { name, tokens: (sum?.tokens ?? 0) + tokens, count: (sum?.count ?? 0) + more });
}

function repeatsAmong(results: readonly LargeResult[], messages: readonly Message[]): readonly DuplicateResult[] {
  const long = results.filter(({ tokens }) => tokens >= REPEAT_TOKENS_MIN);
  const groups = Map.groupBy(long, ({ message }) => contentText(messages[message]!.parts));
  const found = [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      label: group.at(-1)!.label,
      times: group.length,
      tokens: group[0]!.tokens * (group.length - 1),
    }));
  return heaviest(found);
}

function heaviest<Item extends { readonly tokens: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => other.tokens - one.tokens);
}

function weightOf(message: Message, measure: Measure): number {
  return measure.transcript({ system: [], messages: [message] });
}
