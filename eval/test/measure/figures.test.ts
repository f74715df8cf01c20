/** From findings to figures: sums, intervals drawn over transcripts, and too few transcripts said to be too few. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Evaluation, Finding } from "../../src/measure/evaluate.ts";
import { figuresOf, TRANSCRIPTS_MIN } from "../../src/measure/figures.ts";
import type { Score } from "../../src/recall/exam.ts";
import { notScored, sectionsOf, summaryOf } from "../../src/measure/report.ts";
import { RUNS } from "../../../test/support/transcripts.ts";

const score = (bound: number, bindable: number, kept: number): Score => ({
  need: bindable,
  held: bound,
  bindable,
  bound,
  recallable: bindable,
  unaided: bindable,
  unaidedBound: bound,
  kept,
  total: 1_000,
});

const finding = (file: string, bound: number, bindable: number): Finding => ({
  file,
  share: 0.4,
  tokens: 1_000,
  marks: [
    { contestant: "compressor", size: 0.1, unchanged: false, ...score(bound, bindable, 100) },
    { contestant: "tail", size: 0.1, unchanged: false, ...score(0, bindable, 90) },
  ],
});

const evaluation = (findings: readonly Finding[]): Evaluation => ({
  budgets: [0.1],
  engines: ["compressor"],
  sessions: findings.map(({ file }) => ({ file, cuts: 1, repeated: 0 })),
  findings,
});

const row = (findings: readonly Finding[]) => figuresOf(evaluation(findings))[0]!;

describe("figures", () => {
  it("are shares of sums, so that a cut counts by what was asked in it", () => {
    expect(row([finding("a", 1, 1), finding("b", 0, 3)])).toMatchObject({
      cuts: 2,
      kept: 0.1,
      bound: 0.25,
      held: 0.25,
    });
  });

  it("have an interval around them, from transcripts alone, and none where there are too few", () => {
    const shares = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 9, max: 12 })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(shares, (many) => {
        const found = many.map(([bound, bindable], at) => finding(`f${at}`, bound, bindable));
        const { interval, bound = 0 } = row(found);
        if (many.length < TRANSCRIPTS_MIN) expect(interval).toBeUndefined();
        else if (interval !== undefined) {
          expect(interval[0]).toBeLessThanOrEqual(bound + 1e-9);
          expect(interval[1]).toBeGreaterThanOrEqual(bound - 1e-9);
        }
      }),
      { numRuns: Math.ceil(RUNS / 25) },
    );
    const one = Array.from({ length: 9 }, () => finding("same", 1, 2));
    expect(row(one).interval).toBeUndefined();
  });
});

describe("the report", () => {
  const few = evaluation([finding("a<b>.json", 1, 2)]);
  const text = (one: Evaluation): string => JSON.stringify(sectionsOf(one, figuresOf(one)));

  it("says that few transcripts say nothing of others", () => {
    expect(summaryOf(few)).toContain("Too few");
    expect(summaryOf(evaluation(["a", "b", "c", "d", "e"].map((file) => finding(file, 1, 2))))).not.toContain(
      "Too few",
    );
  });

  it("holds no figure that is not a number", () => {
    expect(text(few)).not.toMatch(/NaN|Infinity|undefined/);
    expect(sectionsOf(evaluation([]), figuresOf(evaluation([])))).toEqual([]);
  });

  it("names a session that an engine tripped over, although it has cuts", () => {
    const tripped = { file: "t.json", cuts: 2, repeated: 0, fault: "it fell" };
    expect([...notScored({ ...few, sessions: [...few.sessions, tripped] }).values()]).toEqual([
      [{ file: "t.json", detail: "it fell" }],
    ]);
  });
});
