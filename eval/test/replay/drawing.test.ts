/** The charts: every course is in them, on one scale. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_CACHE_USE } from "../../../provider/src/caches/entries.ts";
import { chartsOf } from "../../src/replay/chart.ts";
import { windowCurves, short } from "../../src/replay/window-curves.ts";
import { totalsOf, type ReplayedRun } from "../../src/replay/replay.ts";
import type { Replayed } from "../../src/replay/run.ts";

function run(name: string, tokens: readonly number[]): ReplayedRun {
  const requests = tokens.map((input, at): Replayed => {
    const use = { inputTokens: input, ...NO_CACHE_USE };
    return { atMs: at, use, outputTokens: 0, inputUsd: 0, usd: 0, over: false };
  });
  return { strategy: { name, caching: false, compaction: undefined }, requests, totals: totalsOf(requests) };
}

const RUNS_DRAWN = fc
  .integer({ min: 1, max: 300 })
  .chain((length) =>
    fc.array(fc.array(fc.integer({ min: 1, max: 2_000_000 }), { minLength: length, maxLength: length }), {
      minLength: 1,
      maxLength: 9,
    }),
  )
  .map((series) => series.map((tokens, at) => run(`strategy <${at}> & more`, tokens)));

describe("charts", () => {
  it("hold every course once, in the width there is", () => {
    fc.assert(
      fc.property(RUNS_DRAWN, fc.integer({ min: 40, max: 100 }), (runs, columns) => {
        const charts = chartsOf(windowCurves(runs), { columns });
        for (const { strategy } of runs)
          expect(charts.filter(({ title }) => title.split("; ").includes(strategy.name))).toHaveLength(1);
        for (const { lines } of charts) {
          expect(lines.length).toBeGreaterThan(5);
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("say the same scale for all, and show a course that falls as one that falls", () => {
    const [high, low] = chartsOf(windowCurves([run("high", [10, 90_000]), run("low", [90_000, 10])]), { columns: 60 });
    const labels = (lines: readonly string[]): readonly string[] => lines.map((line) => line.slice(0, 6));
    expect(labels(high!.lines)).toEqual(labels(low!.lines));
    expect(high!.lines[0]!.trimEnd().endsWith("─")).toBe(true);
    expect(low!.lines.at(-1)!.trimEnd().endsWith("─")).toBe(true);
  });
});

describe("amounts in short", () => {
  it("keep three figures at least where there are thousands", () => {
    expect([0, 7, 999, 1_000, 47_499, 999_499, 999_500, 8_738_638].map(short)).toEqual([
      "0",
      "7",
      "999",
      "1K",
      "47K",
      "999K",
      "1.00M",
      "8.74M",
    ]);
  });
});
