/** What has to hold in every setup, and what came of all setups by engine. */
import type { Row } from "./measure.ts";

/** Of the limit: what a session's count of a conversation may differ from the provider's. */
const ESTIMATE_TOLERANCE_SHARE = 0.005;

/** One sentence for each bound that a run breaks. */
export function brokenBounds(row: Row): readonly string[] {
  if (row.engine === "none") return [];
  const { leastGrowthTokens, stepTokens, limitTokens, unreadCutInVain } = row;
  const leastAllowed = stepTokens - limitTokens * ESTIMATE_TOLERANCE_SHARE;
  return [
    ...(leastGrowthTokens !== null && leastGrowthTokens < leastAllowed
      ? [`compacted again after ${leastGrowthTokens} tokens of growth, below ${stepTokens}`]
      : []),
    ...(unreadCutInVain > 0 ? [`${unreadCutInVain} requests cut an unread result that is within the limit`] : []),
  ];
}

export interface EngineSummary {
  readonly engine: string;
  readonly schedule: string;
  readonly setups: number;
  readonly compactions: number;
  readonly overflows: number;
  /** Over all setups whose fixed part is below the limit, in steps; null where nothing was compacted twice. */
  readonly leastGrowthSteps: number | null;
  readonly unreadCut: number;
  readonly unreadCutInVain: number;
  readonly lastRungs: number;
  readonly refused: number;
  readonly lost: number;
  /** Means and the highest of the setups in which no request was lost; null where there are none. */
  readonly ofNothing: number | null;
  readonly ofNothingMax: number | null;
  /** Setups in which a bound is broken. */
  readonly broken: number;
}

export function growthSteps({ leastGrowthTokens, stepTokens }: Row): number | null {
  return leastGrowthTokens === null || stepTokens <= 0 ? null : leastGrowthTokens / stepTokens;
}

export function summariesOf(rows: readonly Row[]): readonly EngineSummary[] {
  return [...Map.groupBy(rows, ({ engine, schedule }) => `${engine} ${schedule}`).values()].map(summaryOf);
}

function summaryOf(rows: readonly Row[]): EngineSummary {
  const [{ engine, schedule }] = rows as readonly [Row];
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const steps = rows.flatMap((row) => growthSteps(row) ?? []);
  const bills = rows.flatMap(({ ofNothing }) => ofNothing ?? []);
  return {
    engine,
    schedule,
    setups: rows.length,
    compactions: sum(({ compactions }) => compactions),
    overflows: sum(({ overflows }) => overflows),
    leastGrowthSteps: steps.length === 0 ? null : Math.min(...steps),
    unreadCut: sum(({ unreadCut }) => unreadCut),
    unreadCutInVain: sum(({ unreadCutInVain }) => unreadCutInVain),
    lastRungs: sum(({ lastRungs }) => lastRungs),
    refused: sum(({ refused }) => refused),
    lost: sum(({ lost }) => lost),
    ofNothing: bills.length === 0 ? null : bills.reduce((total, bill) => total + bill, 0) / bills.length,
    ofNothingMax: bills.length === 0 ? null : Math.max(...bills),
    broken: rows.filter((row) => brokenBounds(row).length > 0).length,
  };
}
