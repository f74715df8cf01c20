/** The tables of docs/schedule.md, written from the stored results and nothing else: the same results give the same page. */
import { markdownTable, withGenerated } from "../../scripts/docs/markdown.ts";
import { provenance } from "../peers/page/section.ts";
import { keptResult, type Kept } from "../peers/results.ts";
import { brokenBounds, growthSteps, type EngineSummary } from "./bounds.ts";
import type { Impossible, Row } from "./measure.ts";
import { placeOf, short } from "./tables.ts";

/** What the first table shows. */
export const PAGE_ENGINE = "compressor";
export const PAGE_OUTPUT_TOKENS = 32_000;

export interface ScheduleFigures {
  readonly turns: number;
  readonly model: string;
  readonly outputsTokens: readonly number[];
  readonly defaultSchedule: string;
  /** Of the default engine by its default schedule, at the page's `max_tokens`. */
  readonly rows: readonly Row[];
  readonly impossible: readonly Impossible[];
  /** Of all setups. */
  readonly impossibleSetups: number;
  readonly summaries: readonly EngineSummary[];
}

export function withScheduleFigures(page: string): string {
  const kept = keptResult<ScheduleFigures>("schedule");
  if (kept === undefined) throw new Error("nothing was measured: npm run bench:schedule -- --keep");
  return withGenerated(withGenerated(page, "setups", setupsText(kept)), "engines", enginesText(kept));
}

function setupsText(kept: Kept<ScheduleFigures>): string {
  const { rows, impossible, turns, model, defaultSchedule } = kept.figures;
  const lines = [...rows.map(setupLine), ...impossible.map(impossibleLine)].toSorted(
    ({ place: a }, { place: b }) => a - b,
  );
  const head = [
    "window",
    "fixed part",
    "compactions",
    "least growth between two",
    "in steps",
    "unread results cut",
    "refused",
    "bill",
  ];
  return [
    provenance(kept),
    `Engine \`${PAGE_ENGINE}\`, \`schedule: ${defaultSchedule}\`, \`max_tokens\` ${short(PAGE_OUTPUT_TOKENS)}, ${turns} requests in each row; the bill is in prices of ${model}.`,
    markdownTable([head, ...lines.map(({ cells }) => cells)]),
    brokenText(rows),
  ].join("\n\n");
}

function setupLine(row: Row) {
  const { leastGrowthTokens, compactions, unreadCut, refused, lost, ofNothing, stepTokens } = row;
  const cells = [
    ...fixedCells(row),
    String(compactions),
    leastGrowthTokens === null ? "" : leastGrowthTokens.toLocaleString("en-US"),
    stepTokens <= 0 ? "no room below the limit" : decimal(growthSteps(row)),
    String(unreadCut),
    lost === 0 ? String(refused) : `${refused}, ${lost} for good`,
    decimal(ofNothing),
  ];
  return { place: placeOf(row), cells };
}

function impossibleLine(setup: Impossible) {
  return { place: placeOf(setup), cells: [...fixedCells(setup), `cannot work: ${setup.because}`, "", "", "", "", ""] };
}

function fixedCells({ windowTokens, fixedShare }: Impossible | Row): readonly string[] {
  return [short(windowTokens), `${Math.round(fixedShare * 100)} %`];
}

function brokenText(rows: readonly Row[]): string {
  const broken = rows.filter((row) => brokenBounds(row).length > 0).length;
  return broken === 0 ? "Both bounds hold in every row." : `In ${broken} of ${rows.length} rows a bound is broken.`;
}

function enginesText({ figures: { summaries, outputsTokens, impossibleSetups } }: Kept<ScheduleFigures>): string {
  const head = [
    "engine",
    "schedule",
    "compactions",
    "after an overflow",
    "least growth, steps",
    "unread results cut",
    "of these, within the limit",
    "last rungs",
    "refused",
    "for good",
    "bill",
    "highest bill",
    "setups that break a bound",
  ];
  const lines = summaries.map((one) => [
    `\`${one.engine}\``,
    one.schedule,
    String(one.compactions),
    String(one.overflows),
    decimal(one.leastGrowthSteps),
    String(one.unreadCut),
    String(one.unreadCutInVain),
    String(one.lastRungs),
    String(one.refused),
    String(one.lost),
    decimal(one.ofNothing),
    decimal(one.ofNothingMax),
    String(one.broken),
  ]);
  const outputs = outputsTokens.map(short).join(", ");
  return [
    `All setups (\`max_tokens\` ${outputs}) together, but for ${impossibleSetups} that cannot work:`,
    markdownTable([head, ...lines]),
  ].join("\n\n");
}

function decimal(value: number | null): string {
  return value === null ? "" : value.toFixed(2);
}
