/** Contestants on a cut of the example session: what must hold of any marks, whoever is marked. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { limitsOf } from "../../../src/core/engines/compressor/limits.ts";
import { COMPRESSOR_DEFAULTS } from "../../../src/core/engines/settings.ts";
import { baselineResults, engineResults, triggeringWindow, type Result } from "../../src/measure/contest.ts";
import { cutsOf, EVALUATION_CUTS } from "../../src/recall/cuts.ts";
import { tokensOf, type ChatMessage } from "../../src/recall/future-use.ts";
import { createExam } from "../../src/recall/exam.ts";
import { createReader } from "../../src/recall/reader.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../examples/refunds.openai-chat.json");
const COMPRESSOR = "compressor";

const reader = createReader();
const { messages } = JSON.parse(readFileSync(EXAMPLE, "utf8")) as { messages: readonly ChatMessage[] };
const [cut] = cutsOf(messages, reader, EVALUATION_CUTS);
const exam = createExam(cut!, reader);

const resultsOf = (engine: string, budgets: readonly number[]): Promise<readonly Result[]> =>
  engineResults(cut!, reader, { engine, budgets });

describe("marks", () => {
  it("of the default engine and the baselines are shares of one another", async () => {
    const results = [...baselineResults(cut!, reader, [0.1]), ...(await resultsOf(COMPRESSOR, [0.1]))];
    expect(new Set(results.map(({ contestant }) => contestant)).size).toBe(3);
    for (const { text, recallable } of results) {
      const score = exam.score(text, recallable);
      expect(score.bound).toBeLessThanOrEqual(Math.min(score.bindable, score.recallable));
      expect(score.recallable).toBeLessThanOrEqual(score.bindable);
      expect(score.held).toBeLessThanOrEqual(score.need);
      expect(score).toMatchObject({ ...exam.score(text), recallable: score.recallable });
    }
  });

  it("of an engine that never compacts are those of the whole, and its policy has no size", async () => {
    const results = await resultsOf("none", [0.1]);
    expect(results.map(({ size }) => size)).toEqual([0.1]);
    expect(results[0]).toMatchObject({ unchanged: true });
    expect(exam.score(results[0]!.text).bound).toBe(exam.bindable.length);
  });

  it("of another engine's policy stand beside the default engine in the same room", async () => {
    const results = await resultsOf("sacred-zone", []);
    expect(results.map(({ contestant, size }) => `${contestant} ${size}`)).toEqual([
      "sacred-zone policy",
      "compressor as sacred-zone",
    ]);
    const [own, beside] = results.map(({ text }) => tokensOf(text));
    expect(beside).toBeLessThanOrEqual(own! * 1.01);
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
