/** The tables of docs/schedule.md, written from the stored results and nothing else: the same results give the same page. */
import { markdownTable, withGenerated } from "../../scripts/docs/markdown.ts";
import { provenance } from "../peers/page/section.ts";
import { keptResult, type Kept } from "../peers/results.ts";
import { brokenBounds, type EngineSummary } from "./bounds.ts";
import type { Impossible, Row } from "./measure.ts";
import { placeOf, short } from "./tables.ts";

/** What the first table shows. */
export const PAGE_ENGINE = "compressor";
export const PAGE_OUTPUT_TOKENS = 32_000;
/** Shares of the window that system prompt and tools take; the others are in the stored results. */
const PAGE_SHARES: readonly number[] = [0, 0.4];

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
  const { rows, turns, model, defaultSchedule } = kept.figures;
  const shown = rows.filter(({ fixedShare }) => PAGE_SHARES.includes(fixedShare));
  const lines = shown.toSorted((one, other) => placeOf(one) - placeOf(other)).map(setupCells);
  const head = ["window", "fixed part", "compactions", "unread results cut", "refused", "bill"];
  return [
    provenance(kept),
    `Engine \`${PAGE_ENGINE}\`, \`schedule: ${defaultSchedule}\`, \`max_tokens\` ${short(PAGE_OUTPUT_TOKENS)}, ${turns} requests in each row; the bill is in prices of ${model}.`,
    markdownTable([head, ...lines]),
    brokenText(rows),
  ].join("\n\n");
}

function setupCells(row: Row): readonly string[] {
  const { compactions, unreadCut, refused, lost, ofNothing } = row;
  return [
    ...fixedCells(row),
    String(compactions),
    String(unreadCut),
    lost === 0 ? String(refused) : `${refused}, ${lost} for good`,
    decimal(ofNothing),
  ];
}

function fixedCells({ windowTokens, fixedShare }: Impossible | Row): readonly string[] {
  return [short(windowTokens), `${Math.round(fixedShare * 100)} %`];
}

function brokenText(rows: readonly Row[]): string {
  const broken = rows.filter((row) => brokenBounds(row).length > 0).length;
  return broken === 0
    ? "Both bounds hold in every setup, also with other fixed parts. Where fixed part and `max_tokens` fill the window, nothing can work."
    : `In ${broken} of ${rows.length} setups a bound is broken.`;
}

function enginesText({
  figures: { summaries, outputsTokens, impossibleSetups, defaultSchedule },
}: Kept<ScheduleFigures>): string {
  const head = ["engine", "compactions", "unread results cut", "refused", "for good", "bill", "highest bill"];
  const shown = summaries.filter(({ schedule }) => schedule === defaultSchedule);
  const lines = shown.map((one) => [
    `\`${one.engine}\``,
    String(one.compactions),
    String(one.unreadCut),
    String(one.refused),
    String(one.lost),
    decimal(one.ofNothing),
    decimal(one.ofNothingMax),
  ]);
  const broken = summaries.reduce((sum, one) => sum + one.broken, 0);
  const outputs = outputsTokens.map(short).join(", ");
  return [
    `All setups (\`max_tokens\` ${outputs}, \`schedule: ${defaultSchedule}\`) together, but for ${impossibleSetups} that cannot work:`,
    markdownTable([head, ...lines]),
    `A bound is broken in ${broken === 0 ? "none" : broken} of them, by this schedule or by \`threshold\`.`,
  ].join("\n\n");
}

function decimal(value: number | null): string {
  return value === null ? "" : value.toFixed(2);
}
