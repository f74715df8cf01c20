/** The arithmetic of an exam: what intervals promise, what a difference proves, and letters that tell nothing. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dealLetters, readMarks } from "../../src/exam/grader.ts";
import { bootstrap, DIFFERENCE_QUESTIONS_MIN, differenceOf, shareInterval, wilson } from "../../src/exam/intervals.ts";
import { KINDS, type Question } from "../../src/exam/plan.ts";
import { createSpendingLimit } from "../../src/exam/spending-limit.ts";
import { readAnswers } from "../../src/exam/reader.ts";
import { readQuestions } from "../../src/exam/questions.ts";
import type { CaseResult } from "../../src/exam/run.ts";
import { figuresOf } from "../../src/exam/tally.ts";

const points = fc.constantFrom(0, 0.5, 1);
const groups = fc.array(fc.array(points, { minLength: 1, maxLength: 14 }), { minLength: 1, maxLength: 8 });
const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

describe("intervals", () => {
  it("hold the share, stay within 0 and 1, and are the same each time", () => {
    fc.assert(
      fc.property(groups, (drawn) => {
        const { low, high } = shareInterval(drawn);
        const share = mean(drawn.flat());
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low - 1e-9).toBeLessThanOrEqual(share);
        expect(high + 1e-9).toBeGreaterThanOrEqual(share);
        expect(shareInterval(drawn)).toEqual({ low, high });
      }),
      { numRuns: 60 },
    );
  });

  it("are never certain, however clear the grades are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), points, (n, all) => {
        const { low, high } = shareInterval([Array.from({ length: n }, () => all)]);
        expect(high - low).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });

  it("narrow with more questions of the same share", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 2, max: 20 }), (right, factor) => {
        const [few, many] = [wilson(right, 20), wilson(right * factor, 20 * factor)];
        expect(many.high - many.low).toBeLessThan(few.high - few.low);
      }),
    );
  });

  it("agree with Wilson's own example: 0.404 to 0.596 for half of a hundred", () => {
    const { low, high } = wilson(50, 100);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(["0.404", "0.596"]);
  });

  it("are wider where sessions differ than where questions do", () => {
    const apart = [Array(10).fill(1), Array(10).fill(0), Array(10).fill(1), Array(10).fill(0)] as number[][];
    const mixed = Array.from({ length: 4 }, () => Array.from({ length: 10 }, (_, at) => at % 2));
    const width = ({ low, high }: { low: number; high: number }): number => high - low;
    expect(width(bootstrap(apart))).toBeGreaterThan(2 * width(bootstrap(mixed)));
  });
});

describe("a difference", () => {
  it("turns round with its sides, and proves the same", () => {
    const pairs = fc.array(fc.array(fc.tuple(points, points), { minLength: 1, maxLength: 10 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(pairs, (drawn) => {
        const there = differenceOf(drawn);
        const back = differenceOf(drawn.map((group) => group.map(([one, other]) => [other, one] as const)));
        expect(back.mean).toBeCloseTo(-there.mean, 9);
        expect(Math.abs(back.low + there.high)).toBeLessThan(0.15);
      }),
      { numRuns: 60 },
    );
  });

  it("of nothing proves nothing, nor does a clear one on a few questions", () => {
    const same = [Array.from({ length: 50 }, () => [1, 1] as const)];
    const clear = (n: number) => differenceOf([Array.from({ length: n }, () => [1, 0] as const)]);
    expect(differenceOf(same)).toMatchObject({ mean: 0, proves: false });
    expect(clear(DIFFERENCE_QUESTIONS_MIN - 1).proves).toBe(false);
    expect(clear(DIFFERENCE_QUESTIONS_MIN)).toMatchObject({ mean: 1, proves: true });
  });
});

describe("the tally", () => {
  const question = (id: number, kind: Question["kind"]): Question => ({
    id,
    kind,
    question: "?",
    answer: "a",
    full: "f",
    half: "h",
    quote: "q",
  });
  const questions = KINDS.flatMap((kind, at) => [question(2 * at + 1, kind), question(2 * at + 2, kind)]);
  const result = (earned: Readonly<Record<string, number>>, failures: CaseResult["failures"] = []): CaseResult => ({
    name: "01",
    file: "a",
    prefixTokens: 1_000,
    questions,
    seats: Object.entries(earned).map(([name, each]) => ({
      contestant: name.split("/")[0]!,
      reader: Number(name.split("/")[1] ?? 1),
      contextTokens: 100,
      points: Object.fromEntries(questions.map(({ id }) => [id, each])),
    })),
    failures,
  });
  const contestants = ["a", "b"].map((name) => ({ name, kind: "tail" as const, model: false, budget: 0.1 }));

  it("takes the mean of a contestant's readers, and every kind by itself", () => {
    const { rows } = figuresOf([result({ "a/1": 1, "a/2": 0, b: 1 })], contestants);
    expect(rows.map(({ contestant, scores }) => [contestant, scores.all.share, scores.detail.questions])).toEqual([
      ["b", 1, 2],
      ["a", 0.5, 2],
    ]);
    expect(rows[0]!.kept).toBe(0.1);
  });

  it("compares two only where both were graded, and says where one was not", () => {
    const { rows, differences } = figuresOf([result({ a: 1, b: 0.5 }), result({ a: 0 })], contestants);
    expect(differences).toMatchObject([{ questions: 8, mean: 0 + (rows[0]!.contestant === "a" ? 0.5 : -0.5) }]);
    expect(rows.find(({ contestant }) => contestant === "b")).toMatchObject({ cases: 1, failed: 1 });
  });
});

describe("letters", () => {
  const sittings = ["a", "b", "c", "d", "e"].map((contestant) => ({ seat: { contestant, reader: 1 }, answers: {} }));
  const order = (key: string, seed: number): string =>
    Object.values(dealLetters(sittings, { key }, seed))
      .map(({ seat }) => seat.contestant)
      .join("");

  it("are dealt anew for each case and seed, the same for the same, and to everybody", () => {
    const keys = Array.from({ length: 40 }, (_, at) => (at * 2_654_435_761).toString(16).padStart(12, "0").slice(-12));
    const orders = keys.map((key) => order(key, 1));
    expect(new Set(orders).size).toBeGreaterThan(20);
    expect(new Set(orders.map((one) => one[0])).size).toBe(5);
    expect(order(keys[1]!, 1)).toBe(orders[1]);
    expect(keys.some((key) => order(key, 1) !== order(key, 2))).toBe(true);
    for (const one of orders) expect([...one].toSorted().join("")).toBe("abcde");
  });
});

describe("what a model answers", () => {
  const one: Question = { id: 1, kind: "state", question: "?", answer: "a", full: "f", half: "h", quote: "q" };
  const readers = [
    (text: string) => readAnswers(text, [one]),
    (text: string) => readMarks(text, [one], ["A", "B"]),
    (text: string) => readQuestions(text, "s"),
  ];

  it("is a value or a list of problems, whatever it is", () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `Sure: \`\`\`${json}\`\`\` bye`),
    );
    fc.assert(
      fc.property(anything, fc.constantFrom(...readers), (text, read) => {
        const found = read(text);
        expect("value" in found || found.problems.length > 0).toBe(true);
      }),
    );
  });

  it.each([
    ['{"1": {"A": 1, "B": 0.5}}', true],
    ['{"1": {"A": 1}}', false],
    ['{"1": {"A": 1, "B": 0.7}}', false],
    ['{"1": {"A": 1, "B": "1"}}', false],
    ['{"1": {"A": 1, "B": 2}}', false],
  ])("grades of %s are used: %s", (text, used) => {
    expect("value" in readMarks(text, [one], ["A", "B"])).toBe(used);
  });
});

describe("the purse", () => {
  it("never lets what is spent and under way exceed the limit", () => {
    const step = fc.record({
      largest: fc.double({ min: 0, max: 2, noNaN: true }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step), fc.double({ min: 0, max: 5, noNaN: true }), (steps, limit) => {
        const purse = createSpendingLimit(limit);
        for (const { largest, share } of steps)
          if (purse.reserve(largest))
            purse.settle(largest, { inputTokens: 1, outputTokens: 1, requests: 1, costUsd: largest * share });
        expect(purse.spent().costUsd).toBeLessThanOrEqual(limit + 1e-9);
      }),
    );
  });
});
