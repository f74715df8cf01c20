/** The bench as a page: first where precis loses, then where it does not, then every figure, and how they were taken. */
import { wilson } from "../exam/intervals.ts";
import type { LocomoRow } from "./locomo.ts";
import type { Measure, Row } from "./measures.ts";

export interface BenchResult {
  readonly on: string;
  readonly machine: string;
  readonly seconds: number;
  readonly compactors: readonly { readonly name: string; readonly from: string; readonly how: string }[];
  readonly absent: readonly { readonly name: string; readonly because: string }[];
  readonly measures: readonly Measure[];
  /** Where a copy of the data set was given. */
  readonly locomo?: readonly LocomoRow[];
}

const OURS = "precis";

export function benchPage(result: BenchResult): string {
  const judged = result.measures.map(judge);
  const losing = judged.filter(({ isBehind }) => isBehind);
  const other = judged.filter(({ isBehind }) => !isBehind);
  return [
    "# Public suites, in one run",
    "",
    "`precis-eval bench` measures precis beside other compactors with suites that others made. No model is asked: a compactor that needs one gets lines of what it shows it.",
    "",
    "## Where precis is behind",
    "",
    ...(losing.length === 0 ? ["Nowhere in this run."] : comparison(losing)),
    "",
    "## Where it is not",
    "",
    ...(other.length === 0 ? ["Nowhere in this run."] : comparison(other)),
    "",
    "## Every figure",
    "",
    "In brackets the 95 % interval (Wilson). `*`: even the smallest result was above the budget, in some cases or in all.",
    "",
    ...result.measures.flatMap(measureSection),
    ...(result.locomo === undefined ? [] : locomoSection(result.locomo)),
    "## How it was measured",
    "",
    `On ${result.on}, ${result.machine}, in ${Math.round(result.seconds / 60)} minutes. Budgets are characters of the result, as the conformance kit counts them; each compactor is turned down until its result fits.`,
    "",
    "| compactor | from | how |",
    "| --- | --- | --- |",
    ...result.compactors.map(({ name, from, how }) => `| ${name} | ${from} | ${how} |`),
    "",
    ...result.absent.map(({ name, because }) => `Not measured: ${name} (${because}).`),
    "",
  ].join("\n");
}

interface Judged {
  readonly measure: Measure;
  readonly ours: Row | undefined;
  readonly best: Row | undefined;
  readonly isBehind: boolean;
}

/** Against the best of the others that keeps to the budget. */
function judge(measure: Measure): Judged {
  const ours = measure.rows.find(({ name }) => name === OURS);
  const others = measure.rows.filter(isPeer);
  const [best] = others.toSorted((a, b) => shareOf(b) - shareOf(a));
  const isBehind = ours !== undefined && best !== undefined && shareOf(best) > shareOf(ours);
  return { measure, ours, best, isBehind };
}

function isPeer({ name, overBudget }: Row): boolean {
  return name !== OURS && overBudget === 0;
}

function comparison(judged: readonly Judged[]): readonly string[] {
  return [
    "| what is held | precis | the best of the others |",
    "| --- | --- | --- |",
    ...judged.map(({ measure, ours, best }) => {
      const ties = measure.rows.filter((row) => row !== best && isPeer(row) && shareOf(row) === shareOf(best ?? row));
      const more = ties.length === 0 ? "" : ` and ${ties.length} more`;
      const other = best === undefined ? "none within the budget" : `${figure(best)}, ${best.name}${more}`;
      return `| ${measure.title} | ${ours === undefined ? "" : figure(ours)} | ${other} |`;
    }),
  ];
}

function measureSection({ title, says, suite, rows }: Measure): readonly string[] {
  return [
    `### ${title}`,
    "",
    `${says} Suite: ${suite}.`,
    "",
    "| compactor | held |",
    "| --- | --- |",
    ...rows
      .toSorted((a, b) => shareOf(b) - shareOf(a))
      .map((row) => `| ${row.name} | ${figure(row)}${interval(row)} |`),
    "",
  ];
}

function locomoSection(rows: readonly LocomoRow[]): readonly string[] {
  const categories = Object.keys(rows[0]?.found ?? {});
  return [
    "### Recall: questions of which everything needed is in the answer, LoCoMo",
    "",
    "Ten dialogues, each removed as a whole; the data set is measured, not shipped.",
    "",
    `| answered by | characters at most | on average | ${categories.join(" | ")} |`,
    `| --- | --- | --- | ${categories.map(() => "---").join(" | ")} |`,
    ...rows.map(({ way, charsMax, chars, found }) => {
      const shares = categories.map((one) => `${Math.round((100 * found[one]!.held) / found[one]!.of)} %`);
      return `| ${way} | ${charsMax ?? ""} | ${chars} | ${shares.join(" | ")} |`;
    }),
    "",
  ];
}

function figure({ held, of, overBudget }: Row): string {
  return `${held} of ${of}${overBudget > 0 ? "*" : ""}`;
}

function interval({ held, of }: Row): string {
  if (of === 0) return "";
  const { low, high } = wilson(held, of);
  return ` (${Math.round(100 * low)} to ${Math.round(100 * high)} %)`;
}

function shareOf({ held, of }: Row): number {
  return of === 0 ? 0 : held / of;
}
