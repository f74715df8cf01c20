/** How full the window was, request by request: one course for all strategies that sent the same. */
import type { ReplayedRun } from "./replay.ts";

export interface WindowCurve {
  /** Of the strategies that took it. */
  readonly runs: readonly ReplayedRun[];
  /** Tokens of each request. */
  readonly tokens: readonly number[];
}

export function windowCurves(runs: readonly ReplayedRun[]): readonly WindowCurve[] {
  const groups = Map.groupBy(runs, ({ requests }) => requests.map(({ use }) => use.inputTokens).join(" "));
  return Array.from(groups.values(), (same) => ({
    runs: same,
    tokens: same[0]!.requests.map(({ use }) => use.inputTokens),
  }));
}

export function nameOf({ runs }: WindowCurve): string {
  return runs.map(({ strategy }) => strategy.name).join("; ");
}

/** `950`, `47K`, `8.74M` */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}K`;
  return `${(tokens / 1_000_000).toFixed(2)}M`;
}
