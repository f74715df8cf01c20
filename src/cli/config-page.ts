/** The configuration as a person reads it: figures on one scale, a picture of a compaction, settings with their places. */
import { wrapped } from "../config/wrap.ts";
import { computedValues, warningsOf, type ComputedValue } from "../config/computed.ts";
import { shortPath, type Loaded } from "../config/load.ts";
import { SETTINGS, valueAt, written } from "../config/settings.ts";
import type { Warning } from "../config/warning.ts";
import { count } from "./amounts.ts";
import { columnWidths, padEnd, padStart, track } from "./bars.ts";
import type { Stream, Terminal } from "./terminal.ts";

/** Columns of the bars: what 80 columns hold, or more where there is more. */
function barColumns({ columns }: Stream): number {
  return columns >= 96 ? 28 : 12;
}

const NAMES: Readonly<Record<ComputedValue["name"], string>> = {
  window: "window",
  usable: "usable",
  hygiene: "hygiene",
  threshold: "threshold",
  pressure: "pressure",
  ceiling: "tail, at most",
  tail: "tail",
  summary_max: "handoff, at most",
  summary_min: "handoff, at least",
};

export function configurationPage(loaded: Loaded, terminal: Terminal): string {
  const { out } = terminal;
  const files = loaded.files.map(({ path }) => shortPath(path, terminal));
  const warnings = warningsOf(loaded.configuration);
  return [
    `${out.paint("strong", "precis configuration")}  ${out.paint("dim", files.length === 0 ? "no file: defaults, environment and flags" : files.join(", "))}`,
    "",
    ...figures(loaded, out),
    "",
    ...picture(loaded, out),
    "",
    ...settings(loaded, out),
    ...(warnings.length === 0 ? [] : ["", ...warnings.flatMap((warning) => warned(warning, out))]),
    "",
  ].join("\n");
}

/** From the largest to the smallest, each with its rule. */
function figures({ configuration }: Loaded, stream: Stream): readonly string[] {
  const { paint } = stream;
  const values = computedValues(configuration).toSorted((one, other) => other.tokens - one.tokens);
  const largest = Math.max(...values.map(({ tokens }) => tokens));
  const [names = 0, numbers = 0] = columnWidths(values.map(({ name, tokens }) => [NAMES[name], count(tokens)]));
  return values.map(({ name, tokens, meaning }) => {
    const drawn = track(tokens / largest, barColumns(stream));
    const figure = padStart(count(tokens), numbers);
    return `  ${padEnd(NAMES[name], names)}  ${paint("strong", figure)}  ${paint("accent", drawn)}  ${paint("dim", meaning)}`;
  });
}

/** What fills the window right after a compaction, up to the next one. */
function picture({ configuration }: Loaded, { paint, columns }: Stream): readonly string[] {
  const tokens = Object.fromEntries(computedValues(configuration).map((value) => [value.name, value.tokens])) as Record<
    ComputedValue["name"],
    number
  >;
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
    `  ${paint("dim", `After a compaction, up to the next one at ${count(whole)}:`)}`,
    `  ${paint("accent", line.slice(0, width))}`,
    ...wrapped(legend, columns - 2).map((text) => `  ${text}`),
  ];
}

function settings({ configuration, provenance }: Loaded, { paint }: Stream): readonly string[] {
  const rows = SETTINGS.map(({ path }) => [path, written(valueAt(configuration, path)), provenance.get(path)!.place]);
  const [paths = 0, values = 0] = columnWidths(rows);
  return rows.map(([path = "", value = "", place = ""]) => {
    const own = place !== "default";
    return `  ${padEnd(path, paths)}  ${paint(own ? "strong" : "dim", padEnd(value, values))}  ${paint("dim", place)}`;
  });
}

function warned({ path, message, fix, note }: Warning, { paint, columns }: Stream): readonly string[] {
  const lines = wrapped(`${path}: ${message}`, columns - 4);
  const mark = note === true ? paint("dim", "· ") : paint("warn", "! ");
  return [...lines.map((line, at) => `${at === 0 ? mark : "  "}${line}`), `  ${paint("dim", "next")}  ${fix}`];
}
