/** Where the tokens are, drawn: the window, roles and tools as bars, the largest results, repeats, and what compacting would do. */
import { count, counted, percent } from "./amounts.ts";
import { bar, clip, columnWidths, padEnd, padStart } from "./bars.ts";
import type { Census, Weighed } from "./census.ts";
import type { Stream } from "./terminal.ts";

const BAR_COLUMNS = 30;
const TOOLS_SHOWN_MAX = 10;
const NAME_COLUMNS_MAX = 28;

/** What a compaction would make of the transcript. */
export interface DryRun {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** Why nothing would change, or what is lost. */
  readonly says: string;
}

export interface Window {
  readonly usableTokens: number;
  readonly thresholdTokens: number;
}

export function censusPage(census: Census, window: Window, dryRuns: readonly DryRun[], stream: Stream): string {
  const { paint } = stream;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [paint("strong", title), ...lines, ""];
  return [
    ...fill(census, window, stream),
    ...section("By role", weighed(census.roles, census.tokens, "message", stream)),
    ...section("By tool, calls with their results", weighed(census.tools, census.tokens, "call", stream)),
    ...section("Largest results", largest(census, stream)),
    ...section("Said again, word for word", repeats(census, stream)),
    ...section("A compaction would make it", dry(dryRuns, stream)),
  ].join("\n");
}

function fill(
  { tokens, messages }: Census,
  { usableTokens, thresholdTokens }: Window,
  { paint }: Stream,
): readonly string[] {
  const share = tokens / usableTokens;
  const over = tokens > thresholdTokens;
  const drawn = padEnd(bar(share, BAR_COLUMNS), BAR_COLUMNS);
  const room = over
    ? `${count(tokens - thresholdTokens)} over the threshold of ${count(thresholdTokens)}`
    : `${count(thresholdTokens - tokens)} below the threshold of ${count(thresholdTokens)}`;
  return [
    `${paint("strong", count(tokens))} tokens in ${counted(messages, "message")}`,
    `${paint(over ? "warn" : "good", drawn)}  ${percent(share)} of a usable window of ${count(usableTokens)}; ${room}`,
    "",
  ];
}

function weighed(all: readonly Weighed[], whole: number, noun: string, { paint }: Stream): readonly string[] {
  const shown = all.slice(0, TOOLS_SHOWN_MAX);
  const rest = all.slice(TOOLS_SHOWN_MAX);
  const sum = (pick: (one: Weighed) => number): number => rest.reduce((total, one) => total + pick(one), 0);
  const rows =
    rest.length === 0
      ? shown
      : [
          ...shown,
          { name: `${rest.length} others`, tokens: sum(({ tokens }) => tokens), count: sum((one) => one.count) },
        ];
  const names = rows.map(({ name }) => clip(name, NAME_COLUMNS_MAX));
  const [left = 0] = columnWidths(names.map((name) => [name]));
  return rows.map(({ tokens, count: times }, at) => {
    const drawn = padEnd(bar(tokens / Math.max(whole, 1), BAR_COLUMNS), BAR_COLUMNS);
    const share = padStart(percent(tokens / Math.max(whole, 1)), 6);
    return `  ${padEnd(names[at]!, left)}  ${paint("accent", drawn)} ${padStart(count(tokens), 9)} ${share}  ${paint("dim", counted(times, noun))}`;
  });
}

function largest({ largest: results }: Census, { paint, columns }: Stream): readonly string[] {
  return results.map(({ message, label, tokens }) => {
    const place = padStart(`message ${message + 1}`, 13);
    return `${padStart(count(tokens), 9)} ${paint("dim", place)}  ${clip(label, columns - 26)}`;
  });
}

function repeats({ repeats: all }: Census, { paint, columns }: Stream): readonly string[] {
  return all.map(
    ({ label, times, tokens }) =>
      `${padStart(count(tokens), 9)} ${paint("dim", padStart(`${times} times`, 13))}  ${clip(label, columns - 26)}`,
  );
}

function dry(runs: readonly DryRun[], { paint }: Stream): readonly string[] {
  const [names = 0] = columnWidths(runs.map(({ name }) => [name]));
  return runs.map(({ name, before, after, says }) => {
    const change = after === before ? "" : ` ${percent((after - before) / Math.max(before, 1)).replace("-", "−")}`;
    return `  ${padEnd(name, names)}  ${paint("good", padEnd(bar(after / Math.max(before, 1), BAR_COLUMNS), BAR_COLUMNS))} ${padStart(count(after), 9)}${change}  ${paint("dim", says)}`;
  });
}
