/** `precis inspect`: where the tokens are, and what a compaction would do about it. Changes nothing. */
import { engineLimits } from "../../config/computed.ts";
import { toEngineSettings } from "../../config/engine-settings.ts";
import { loadConfiguration } from "../../config/load.ts";
import { createMeasure, type Measure } from "../../core/transcript/measure.ts";
import { count, change, counted, percent } from "../screen/amounts.ts";
import { option, toggle, type Command } from "../program/command.ts";
import { compactInput, type CompactionOutcome } from "../compaction/compact.ts";
import { headingLines } from "../compaction/page.ts";
import { withEngine } from "../settings/engine.ts";
import { EXIT } from "../program/exit.ts";
import {
  readImageTokens,
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
import { wrapped, clip, columnWidths, padEnd, padStart, track, measureWidth } from "../screen/text.ts";
import { withRowNote } from "../screen/table.ts";
import type { Stream, TextStyle } from "../screen/terminal.ts";
import { describeCall, labelOf } from "../../core/digest/call.ts";
import { pairingOf } from "../../core/transcript/pairing.ts";
import { callsOf, contentText, type Message, type Transcript } from "../../core/transcript/message.ts";

const BUDGET_DEFAULT = "20%";

export const inspectCommand: Command = {
  name: "inspect",
  summary: "Show where a transcript's tokens are, and what a compaction would do.",
  about: [
    "Tokens by role and by tool, the largest results, duplicate results, and a dry run at the configured window and at a budget.",
  ],
  examples: {
    "precis inspect session.jsonl": "show what fills the window",
    "precis inspect session.jsonl --context-length 64k --budget 10%": "try another window",
  },
  args: {
    ...INPUT_ARGS,
    budget: option("N|P%", `The budget of the second dry run; ${BUDGET_DEFAULT} by default.`),
    json: toggle("Print JSON."),
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
      const counts = countTokens(read.transcript, createMeasure(readImageTokens(read.transcript, configuration)));
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
      toEngineSettings(configuration, transcript.model),
      createMeasure().transcript({ ...transcript, messages: [] }),
    );
    const heading = headingLines({ name, format, to: protocol, notes }, terminal.out).join("\n");
    if (args.is("json")) {
      const figures = { format, protocol, ...census, window, usableTokens, thresholdTokens, dryRuns, notes };
      await terminal.out.put(`${JSON.stringify(figures, null, 2)}\n`);
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
  const shares = (all: readonly TokenShare[], noun: string): readonly string[] =>
    barRows(
      [...all.slice(0, TOOLS_SHOWN_MAX), ...together(all.slice(TOOLS_SHOWN_MAX))].map((one) => {
        const share = one.tokens / Math.max(census.tokens, 1);
        return { ...one, share, figure: percent(share), says: counted(one.count, noun), look: "accent" };
      }),
      stream,
    );
  const dry = dryRuns.map(({ name, before, after, says }): BarRow => {
    const figure = after === before ? "" : change(before, after);
    return { name, share: after / Math.max(before, 1), tokens: after, figure, says, look: "good" };
  });
  return [
    ...fill(census, room, stream),
    ...section("By role", shares(census.roles, "message")),
    ...section("By tool, calls with their results", shares(census.tools, "call")),
    ...section(
      "Largest results",
      census.largest.map(({ message, ...one }) => listed(one, `message ${message + 1}`, stream)),
    ),
    ...section(
      "Duplicate results",
      census.repeats.map(({ times, ...one }) => listed(one, `${times} times`, stream)),
    ),
    ...section("What a compaction would do", barRows(dry, stream)),
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

interface BarRow {
  readonly name: string;
  readonly share: number;
  readonly tokens: number;
  readonly figure: string;
  readonly says: string;
  readonly look: TextStyle;
}

/** A name, a bar where 72 columns or more have room for one, two figures and a remark. */
function barRows(rows: readonly BarRow[], stream: Stream): readonly string[] {
  const { columns, paint } = stream;
  const [bars, names] = columns >= 96 ? [30, 28] : columns >= 72 ? [20, 22] : [0, 18];
  const [left = 0] = columnWidths(rows.map(({ name }) => [clip(name, names)]));
  return rows.flatMap(({ name, share, tokens, figure, says, look }) => {
    const drawn = bars === 0 ? "" : `${track(share, bars)} `;
    const figures = `${padStart(count(tokens), 9)} ${padStart(figure, 6)}`;
    const line = `  ${padEnd(clip(name, names), left)}  ${paint(look, drawn)}${figures}`.trimEnd();
    return withRowNote({ line, width: left + 4 + measureWidth(drawn) + figures.length, says, look: "dim" }, stream);
  });
}

function together(rest: readonly TokenShare[]): readonly TokenShare[] {
  if (rest.length === 0) return [];
  const sum = (pick: (one: TokenShare) => number): number => rest.reduce((total, one) => total + pick(one), 0);
  return [{ name: `${rest.length} others`, tokens: sum(({ tokens }) => tokens), count: sum((one) => one.count) }];
}

function listed(
  { label, tokens }: { readonly label: string; readonly tokens: number },
  place: string,
  { paint, columns }: Stream,
): string {
  return `${padStart(count(tokens), 9)} ${paint("dim", padStart(place, 13))}  ${clip(label, columns - 26)}`;
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

interface ContextBreakdown {
  readonly tokens: number;
  readonly messages: number;
  readonly roles: readonly TokenShare[];
  readonly tools: readonly TokenShare[];
  readonly largest: readonly LargeResult[];
  readonly repeats: readonly (Omit<LargeResult, "message"> & { readonly times: number })[];
}

const LARGEST_MAX = 8;
const REPEATS_MAX = 8;
/** Shorter results repeat by nature: `ok`, an empty listing. */
const REPEAT_TOKENS_MIN = 50;

function countTokens(transcript: Transcript, measure: Measure): ContextBreakdown {
  const { system, messages, tools: declared } = transcript;
  const { answers } = pairingOf(messages);
  // As it counts in the whole, of which the others are shares.
  const weigh = (message: Message): number => measure.transcript({ system: [], messages: [message] });
  const [roles, tools] = [new Map<string, TokenShare>(), new Map<string, TokenShare>()];
  const results: LargeResult[] = [];
  for (const message of system) add(roles, "system prompt", weigh(message));
  if (declared !== undefined) add(roles, "tool declarations", measure.text(declared));
  for (const [at, message] of messages.entries()) {
    const tokens = weigh(message);
    add(roles, ROLE_NAMES[message.role], tokens);
    for (const { name, arguments: text } of callsOf(message)) add(tools, name, measure.text(text));
    const call = answers[at]?.call;
    if (call !== undefined) add(tools, call.name, tokens, 0);
    const label = call === undefined ? "a result without its call" : labelOf(describeCall(call.name, call.arguments));
    if (message.role === "tool") results.push({ message: at, label, tokens });
  }
  const long = results.filter(({ tokens }) => tokens >= REPEAT_TOKENS_MIN);
  const groups = Map.groupBy(long, ({ message }) => contentText(messages[message]!.parts));
  const repeats = [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => {
      const { label, tokens } = group.at(-1)!;
      return { label, times: group.length, tokens: tokens * (group.length - 1) };
    });
  return {
    tokens: measure.transcript(transcript),
    messages: messages.length,
    roles: heaviest([...roles.values()]),
    tools: heaviest([...tools.values()]),
    largest: heaviest(results).slice(0, LARGEST_MAX),
    repeats: heaviest(repeats).slice(0, REPEATS_MAX),
  };
}

const ROLE_NAMES: Readonly<Record<Message["role"], string>> = {
  system: "system, later",
  user: "user",
  assistant: "assistant",
  tool: "tool results",
};

function add(sums: Map<string, TokenShare>, name: string, tokens: number, more = 1): void {
  const sum = sums.get(name);
  sums.set(name, { name, tokens: (sum?.tokens ?? 0) + tokens, count: (sum?.count ?? 0) + more });
}

function heaviest<Item extends { readonly tokens: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => other.tokens - one.tokens);
}
