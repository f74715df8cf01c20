import { describe, expect, it } from "vitest";
import { handoffBudget, limitsOf, summaryBudget } from "../../../../src/core/engines/compressor/limits.ts";
import { COMPRESSOR_DEFAULTS, ENGINE_DEFAULTS } from "../../../../src/core/engines/settings.ts";
import { windowLimits } from "../../../../src/core/engines/window.ts";

const at = (contextLength: number, rest = {}) => limitsOf({ ...COMPRESSOR_DEFAULTS, contextLength, ...rest });

const moments = (contextLength: number) => windowLimits({}, { ...ENGINE_DEFAULTS, contextLength });

describe("the computed values of the default engine", () => {
  // Threshold, tail, ceiling, summary maximum, hygiene: half the window, a fifth of that, half as much again,
  // min(5 % of the window, 12,000), and 85 % of the window.
  it.each([
    [32_000, 16_000, 3_200, 4_800, 1_600, 27_200],
    [64_000, 32_000, 6_400, 9_600, 3_200, 54_400],
    [100_000, 50_000, 10_000, 15_000, 5_000, 85_000],
    [200_000, 100_000, 20_000, 30_000, 10_000, 170_000],
    [1_000_000, 500_000, 100_000, 150_000, 12_000, 850_000],
  ])("follow from a window of %i", (window, threshold, tail, ceiling, summary, hygiene) => {
    expect(at(window)).toMatchObject({
      thresholdTokens: threshold,
      tailTokens: tail,
      tailCeilingTokens: ceiling,
      summaryTokensMax: summary,
    });
    expect(moments(window)).toMatchObject({
      hygieneTokens: hygiene,
      pressureTokens: Math.floor(threshold * 0.85),
    });
  });

  it("are those the Hermes Agent docs print for a 100,000-token window: 42,500 of 50,000", () => {
    expect(moments(100_000)).toMatchObject({ pressureTokens: 42_500, thresholdTokens: 50_000 });
  });

  it("reserve the requested output inside the window", () => {
    const limits = at(200_000, { maxOutputTokens: 40_000 });
    expect(limits).toMatchObject({ usableTokens: 160_000, limitTokens: 136_000, thresholdTokens: 100_000 });
    // No answer is given more than half of the window.
    expect(at(128_000, { maxOutputTokens: 127_000 })).toMatchObject({ usableTokens: 64_000, thresholdTokens: 54_400 });
  });

  it("let the floor raise the threshold, never above 85 % of the window", () => {
    expect(at(100_000, { thresholdFloorTokens: 64_000 }).thresholdTokens).toBe(64_000);
    expect(at(64_000, { thresholdFloorTokens: 64_000 }).thresholdTokens).toBe(54_400);
  });

  it("never put the summary's minimum above its maximum", () => {
    expect(at(32_000).summaryTokensMin).toBe(1_600);
    expect(at(200_000).summaryTokensMin).toBe(2_000);
  });
});

describe("the summary's budget", () => {
  const limits = at(200_000);
  it.each([
    [5_000, 2_000],
    [30_000, 6_000],
    [80_000, 10_000],
    [1_200, 1_200],
    [0, 0],
  ])("for %i replaced tokens is %i", (content, budget) => {
    expect(summaryBudget(content, limits)).toBe(budget);
  });
});

describe("the handoff's budget", () => {
  // 40 % of the content up to 30 % of the room below the trigger and 9,000, where that is more than the summary's.
  it.each([
    [48_000, 10_000, 4_000],
    [48_000, 100_000, 7_200],
    [48_000, 3_000, 2_000],
    [48_000, 1_200, 1_200],
    [100_000, 100_000, 9_000],
    [200_000, 10_000, 4_000],
    [200_000, 20_000, 8_000],
    [200_000, 80_000, 10_000],
    [1_000_000, 80_000, 12_000],
  ])("in a window of %i, for %i replaced tokens, is %i", (window, content, budget) => {
    expect(handoffBudget(content, at(window))).toBe(budget);
  });
});
