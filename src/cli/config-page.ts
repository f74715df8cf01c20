/** The configuration as a person reads it: figures on one scale, a picture of a compaction, settings with their places. */
import { wrapped } from "../config/wrap.ts";
import { computedValues, warningsOf, type ComputedValue } from "../config/computed.ts";
import { builtInName } from "../core/engines/settings.ts";
import { shortPath, type Loaded } from "../config/load.ts";
import { written } from "../config/bad-value.ts";
import { SETTINGS, valueAt } from "../config/settings.ts";
import { snakeCase } from "../config/snake-case.ts";
import type { Warning } from "../config/warning.ts";
import { count } from "./amounts.ts";
import { columnWidths, padEnd, padStart, track } from "./bars.ts";
import { withRowNote } from "./table.ts";
import type { Stream, Terminal } from "./terminal.ts";

/** Columns of the bars: what 80 columns hold, more where there is more, and none where there is little. */
function barColumns({ columns }: Stream): number {
  if (columns < 60) return 0;
  return columns >= 96 ? 28 : 12;
}

/** Names of figures that say more than their own words. */
const NAMES: Readonly<Record<string, string>> = {
  ceiling: "tail, at most",
  summary_max: "handoff, at most",
  summary_min: "handoff, at least",
};

function labelOf({ name }: ComputedValue): string {
  return NAMES[name] ?? name.replaceAll("_", " ");
}

const TITLE = "precis configuration";

export function configurationPage(loaded: Loaded, terminal: Terminal): string {
  const { out } = terminal;
  const files = loaded.files.map(({ path }) => shortPath(path, terminal));
  const from = files.length === 0 ? "no file: defaults, environment and flags" : files.join(", ");
  const warnings = warningsOf(loaded.configuration);
  return [
    ...withRowNote({ line: out.paint("strong", TITLE), width: TITLE.length, says: from, look: "dim" }, out),
    "",
    ...figures(loaded, out),
    "",
    ...picture(loaded, out).flatMap((line, at, lines) => (at === lines.length - 1 ? [line, ""] : [line])),
    ...settings(loaded, out),
    ...(warnings.length === 0 ? [] : ["", ...warnings.flatMap((warning) => warned(warning, out))]),
    "",
  ].join("\n");
}

/** From the largest to the smallest, each with its rule. */
function figures({ configuration }: Loaded, stream: Stream): readonly string[] {
  const { paint } = stream;
  const values = computedValues(configuration).toSorted((one, other) => other.tokens - one.tokens);
  const largest = values.reduce((most, { tokens }) => Math.max(most, tokens), 0);
  const [names = 0, numbers = 0] = columnWidths(values.map((value) => [labelOf(value), count(value.tokens)]));
  const bars = barColumns(stream);
  return values.flatMap((value) => {
    const { tokens, meaning } = value;
    const drawn = bars === 0 ? "" : `  ${paint("accent", track(tokens / largest, bars))}`;
    const figure = padStart(count(tokens), numbers);
    const line = `  ${padEnd(labelOf(value), names)}  ${paint("strong", figure)}${drawn}`;
    const width = 2 + names + 2 + numbers + (bars === 0 ? 0 : 2 + bars);
    return withRowNote({ line, width, says: meaning, look: "dim" }, stream);
  });
}

/** What fills the window right after a compaction, up to the next one. Only the default engine shares it out by figures. */
function picture({ configuration }: Loaded, { paint, columns }: Stream): readonly string[] {
  const found = computedValues(configuration).map((value) => [value.name, value.tokens] as const);
  const tokens = { threshold: 0, summary_max: 0, ceiling: 0, tail: 0, ...Object.fromEntries(found) };
  if (tokens.ceiling === 0) return [];
  const whole = Math.max(1, tokens.threshold);
  const width = Math.min(columns - 4, 72);
  const free = Math.max(0, whole - tokens.summary_max - tokens.ceiling);
  const pieces = [
    { name: "handoff, at most", glyph: "▒", amount: tokens.summary_max },
    { name: "tail", glyph: "█", amount: tokens.tail },
    { name: "to its ceiling", glyph: "▓", amount: tokens.ceiling - tokens.tail },
    { name: "head and new work", glyph: "·", amount: free },
  ];
  const line = pieces.map(({ glyph, amount }) => glyph.repeat(Math.round((amount / whole) * width))).join("");
  const legend = pieces.map(({ name, glyph, amount }) => `${glyph} ${name} ${count(amount)}`).join("   ");
  return [
    ...wrapped(`After a compaction, up to the next one at ${count(whole)}:`, columns - 2).map(
      (text) => `  ${paint("dim", text)}`,
    ),
    `  ${paint("accent", line.slice(0, width))}`,
    ...wrapped(legend, columns - 2).map((text) => `  ${text}`),
  ];
}

function settings({ configuration, provenance }: Loaded, stream: Stream): readonly string[] {
  const { paint, columns } = stream;
  const running = `engines.${snakeCase(builtInName(configuration.context.engine) ?? "")}.`;
  const isShown = (path: string): boolean =>
    !path.startsWith("engines.") || path.startsWith(running) || provenance.get(path)!.kind !== "default";
  const rows = SETTINGS.filter(({ path }) => isShown(path)).map(({ path }) => [
    path,
    written(valueAt(configuration, path)),
    provenance.get(path)!.place,
  ]);
  const [paths = 0, values = 0] = columnWidths(rows);
  const narrow =
    2 + paths + 2 + values + 2 + rows.reduce((most, [, , place = ""]) => Math.max(most, place.length), 0) > columns;
  return rows.flatMap(([path = "", value = "", place = ""]) => {
    const own = place !== "default";
    const look = own ? "strong" : "dim";
    if (narrow)
      return [`  ${path}`, ...wrapped(`${value}  (${place})`, columns - 4).map((one) => `    ${paint(look, one)}`)];
    return `  ${padEnd(path, paths)}  ${paint(look, padEnd(value, values))}  ${paint("dim", place)}`;
  });
}

function warned({ path, message, fix, note }: Warning, { paint, columns }: Stream): readonly string[] {
  const lines = wrapped(`${path}: ${message}`, columns - 4);
  const next = wrapped(fix, columns - 8).map((line, at) => `  ${paint("dim", at === 0 ? "next" : "    ")}  ${line}`);
  const mark = note === true ? paint("dim", "· ") : paint("warn", "! ");
  return [...lines.map((line, at) => `${at === 0 ? mark : "  "}${line}`), ...next];
}
