/** Figures of several days and models added up, and what their delays come to. */
import type { DayFigures } from "../../src/gateway/dashboard/figures.ts";
import { addCounts, DELAY_CLASSES_MS, emptyCounts, type Counts } from "../../src/gateway/dashboard/counts.ts";
import { milliseconds } from "../format.ts";

export type Sums = Counts;

export function sumOf(figures: readonly DayFigures[]): Sums {
  const sums = emptyCounts();
  for (const one of figures) addCounts(sums, one);
  return sums;
}

export function errorsOf({ refused, turnedAway, upstreamFailed }: Sums): number {
  return refused + turnedAway + upstreamFailed;
}

/** The class that this share of the requests stays within. */
export function delayOf(delays: readonly number[], share: number): string {
  const all = delays.reduce((sum, count) => sum + count, 0);
  if (all === 0) return "–";
  let below = 0;
  const at = delays.findIndex((count) => (below += count) >= share * all);
  const end = DELAY_CLASSES_MS[at];
  return end === undefined ? `over ${milliseconds(DELAY_CLASSES_MS.at(-1)!)}` : `≤ ${milliseconds(end)}`;
}
