/** Contestants on a cut of the example session: what must hold of any marks, whoever is marked. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { limitsOf } from "../../../src/core/engines/compressor/limits.ts";
import { COMPRESSOR_DEFAULTS } from "../../../src/core/engines/settings.ts";
import {
  baselineMarks,
  engineMarks,
  prepareCut,
  triggeringWindow,
  type PreparedCut,
} from "../../src/measure/contest.ts";
import { createTally } from "../../src/measure/tally.ts";
import type { Mark } from "../../src/measure/plan.ts";
import { cutsOf, EVALUATION_CUTS } from "../../src/recall/cuts.ts";
import type { ChatMessage } from "../../src/recall/future-use.ts";
import { createExam } from "../../src/recall/exam.ts";
import { createReader } from "../../src/recall/reader.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../examples/refunds.openai-chat.json");
const COMPRESSOR = "compressor";

const stand: PreparedCut = (() => {
  const reader = createReader();
  const { messages } = JSON.parse(readFileSync(EXAMPLE, "utf8")) as { messages: readonly ChatMessage[] };
  const [cut] = cutsOf(messages, reader, EVALUATION_CUTS);
  const exam = createExam(cut!, reader);
  return prepareCut(cut!, reader, { exam, tally: createTally(cut!, exam), witness: () => undefined });
})();

function expectSound(mark: Mark): void {
  const all = mark.counts;
  expect(all.bound).toBeLessThanOrEqual(Math.min(all.bindable, all.recallable));
  expect(all.recallable).toBeLessThanOrEqual(all.bindable);
  expect(all.held).toBeLessThanOrEqual(all.need);
}

describe("marks", () => {
  it("of the default engine and the baselines are shares of one another", async () => {
    const marks = [...baselineMarks(stand, [[0.1, 0.1]]), ...(await engineMarks(stand, COMPRESSOR, [0.1]))];
    expect(new Set(marks.map(({ contestant }) => contestant)).size).toBe(3);
    marks.forEach(expectSound);
  });

  it("say the same as the exam", async () => {
    const kept: string[] = [];
    const [mark] = await engineMarks({ ...stand, witness: (_, text) => kept.push(text) }, COMPRESSOR, [0.2]);
    const { held, bound, unaidedBound } = stand.exam.score(kept[0]!);
    expect(mark!.counts).toMatchObject({ held, bound, unaidedBound });
  });

  it("of an engine that never compacts are those of the whole, and its policy has no size", async () => {
    const marks = await engineMarks(stand, "none", [0.1]);
    expect(marks.map(({ size }) => size)).toEqual([0.1]);
    expect(marks[0]).toMatchObject({ unchanged: true });
    expect(marks[0]!.counts.bound).toBe(stand.exam.bindable.length);
  });

  it("of another engine's policy stand beside the default engine in the same room", async () => {
    const marks = await engineMarks(stand, "sacred-zone", []);
    expect(marks.map(({ contestant, size }) => `${contestant} ${size}`)).toEqual([
      "sacred-zone policy",
      "compressor as sacred-zone",
    ]);
    expect(marks[1]!.kept).toBeLessThanOrEqual(marks[0]!.kept * 1.01);
  });
});

describe("the policy's own moment", () => {
  it.each([20_000, 60_000, 300_000])("is the last window that %i tokens trigger", (tokens) => {
    const window = triggeringWindow(COMPRESSOR, tokens, 100)!;
    const threshold = (contextLength: number): number =>
      limitsOf({ ...COMPRESSOR_DEFAULTS, contextLength }).thresholdTokens;
    expect(threshold(window)).toBeLessThanOrEqual(tokens);
    expect(threshold(window + 2)).toBeGreaterThan(tokens);
  });
});
