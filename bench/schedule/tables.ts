/** The figures for a person at a terminal. */
import { table } from "../table.ts";
import { brokenBounds, growthSteps, type EngineSummary } from "./bounds.ts";
import type { Setup } from "./grid.ts";
import type { Impossible, Row } from "./measure.ts";

const SETUP_HEAD = [
  "window",
  "fixed",
  "max_tokens",
  "engine",
  "schedule",
  "compactions",
  "least growth",
  "in steps",
  "least freed",
  "unread cut",
  "last rungs",
  "refused",
  "bill",
  "",
];
const BROKEN_LINES_MAX = 25;

/** `compactions` and `refused` have in brackets what was an answer to an overflow, and what was lost. */
export function setupsTable(rows: readonly Row[], impossible: readonly Impossible[]): string {
  const possible = rows.map((row) => ({ setup: row as Setup, cells: rowCells(row) }));
  const others = impossible.map((setup) => ({ setup: setup as Setup, cells: impossibleCells(setup) }));
  const sorted = [...possible, ...others].toSorted((one, other) => placeOf(one.setup) - placeOf(other.setup));
  return table(
    SETUP_HEAD,
    sorted.map(({ cells }) => cells),
  );
}

/** Setups in order of window, fixed part and `max_tokens`. */
export function placeOf({ windowTokens, fixedShare, outputTokens }: Setup): number {
  return windowTokens * 1_000_000 + fixedShare * 1_000_000 + outputTokens / 1_000;
}

function setupCells({ windowTokens, fixedShare, outputTokens }: Setup): readonly string[] {
  return [short(windowTokens), `${Math.round(fixedShare * 100)} %`, short(outputTokens)];
}

function rowCells(row: Row): readonly string[] {
  const { engine, schedule, compactions, overflows, leastGrowthTokens, leastFreedTokens, ofNothing } = row;
  return [
    ...setupCells(row),
    engine,
    schedule,
    bracketed(compactions, overflows),
    leastGrowthTokens === null ? "" : String(leastGrowthTokens),
    decimal(growthSteps(row)),
    leastFreedTokens === null ? "" : String(leastFreedTokens),
    bracketed(row.unreadCut, row.unreadCutInVain),
    String(row.lastRungs),
    bracketed(row.refused, row.lost),
    decimal(ofNothing),
    noteOn(row),
  ];
}

function impossibleCells(setup: Impossible): readonly string[] {
  const empty = Array.from({ length: SETUP_HEAD.length - 4 }, () => "");
  return [...setupCells(setup), ...empty, `cannot work: ${setup.because}`];
}

function noteOn(row: Row): string {
  const broken = brokenBounds(row).length > 0 ? ["BROKEN"] : [];
  return [...broken, ...(row.stepTokens <= 0 ? ["fixed part above the limit"] : [])].join(", ");
}

export function summaryTable(summaries: readonly EngineSummary[]): string {
  return table(
    [
      "engine",
      "schedule",
      "setups",
      "compactions",
      "least growth, steps",
      "unread cut",
      "last rungs",
      "refused",
      "bill, mean",
      "highest",
      "broken",
    ],
    summaries.map((one) => [
      one.engine,
      one.schedule,
      String(one.setups),
      bracketed(one.compactions, one.overflows),
      decimal(one.leastGrowthSteps),
      bracketed(one.unreadCut, one.unreadCutInVain),
      String(one.lastRungs),
      bracketed(one.refused, one.lost),
      decimal(one.ofNothing),
      decimal(one.ofNothingMax),
      String(one.broken),
    ]),
  );
}

export function brokenLines(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) =>
    brokenBounds(row).map((words) => `${[...setupCells(row), row.engine, row.schedule].join(", ")}: ${words}`),
  );
  if (lines.length === 0) return "No bound is broken.";
  const more = lines.length > BROKEN_LINES_MAX ? [`and ${lines.length - BROKEN_LINES_MAX} more`] : [];
  return [`${lines.length} bounds are broken:`, ...lines.slice(0, BROKEN_LINES_MAX), ...more].join("\n");
}

export function short(tokens: number): string {
  return tokens >= 1_000_000 ? `${tokens / 1_000_000}M` : `${tokens / 1_000}K`;
}

function bracketed(all: number, some: number): string {
  return some === 0 ? String(all) : `${all} (${some})`;
}

function decimal(value: number | null): string {
  return value === null ? "" : value.toFixed(2);
}
