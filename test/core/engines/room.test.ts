/**
 * When a conversation is compacted and to what size, beside a fixed part of any weight: asserted for every engine, windows from
 * 32K to 1M, fixed parts of 0 to 80 % of the window, and answers of up to the whole window.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEngine } from "../../../src/core/engines/engines.ts";
import { limitsOf } from "../../../src/core/engines/compressor/limits.ts";
import { resultTokensMax, roomIn, stepIn, triggerIn } from "../../../src/core/engines/room.ts";
import { ENGINE_DEFAULTS, type EngineSettings } from "../../../src/core/engines/settings.ts";
import { windowLimits } from "../../../src/core/engines/window.ts";

const WINDOWS = [32_000, 64_000, 100_000, 128_000, 200_000, 1_000_000];
const ENGINES = ["compressor", "sacred-zone", "handoff", "layered", "stepped", "lossless"] as const;

const settings = (contextLength: number, maxOutputTokens = 0): EngineSettings => ({
  ...ENGINE_DEFAULTS,
  contextLength,
  maxOutputTokens,
});

const windows = fc.constantFrom(...WINDOWS);
const fixedShares = fc.integer({ min: 0, max: 80 }).map((percent) => percent / 100);
const outputs = fc.constantFrom(0, 4_000, 32_000, 64_000, 1_000_000);

describe("the room of a conversation", () => {
  it("has the documented figures in the documented window, with no fixed part and no reserve", () => {
    const room = roomIn({ contextLength: 200_000, maxOutputTokens: 0 });
    expect(room).toEqual({ fixedTokens: 0, usableTokens: 200_000, limitTokens: 170_000, latestTokens: 190_000 });
    expect(stepIn(room, 100_000)).toBe(34_000);
    expect(limitsOf(settings(200_000))).toMatchObject({
      thresholdTokens: 100_000,
      tailTokens: 20_000,
      summaryTokensMax: 10_000,
    });
  });

  // Window, system prompt and tools, requested output: as Claude Code asks for, and a fixed part of most of the window.
  it.each([
    [200_000, 17_000, 32_000, 100_000],
    [200_000, 17_000, 64_000, 100_000],
    [128_000, 17_000, 64_000, 54_400],
    [128_000, 17_000, 32_000, 64_000],
    [64_000, 36_000, 0, 45_200],
    [100_000, 85_000, 0, 85_000],
  ])("of %i with a fixed part of %i and an answer of %i is compacted at %i", (window, fixed, output, threshold) => {
    expect(limitsOf(settings(window, output), fixed).thresholdTokens).toBe(threshold);
  });

  it("is half used at least, whatever system prompt, tools and the requested output take", () => {
    fc.assert(
      fc.property(windows, fixedShares, outputs, (window, share, output) => {
        const fixed = Math.floor(window * share);
        const room = roomIn(settings(window, output), fixed);
        const trigger = triggerIn(room, window / 2);
        expect(room.usableTokens).toBeGreaterThanOrEqual(window / 2);
        expect(trigger).toBeLessThanOrEqual(room.limitTokens);
        const half = Math.min(fixed + (room.limitTokens - fixed) / 2, room.limitTokens);
        expect(trigger).toBeGreaterThanOrEqual(Math.floor(half));
      }),
    );
  });
});

describe.each(ENGINES)("the moments of %s", (name) => {
  const limitsFor = (window: number, output: number, fixed: number) => {
    const given = settings(window, output);
    return windowLimits(createEngine(name, given), given, fixed);
  };

  it("come in order: pressure, its own moment, the guard, what a provider refuses", () => {
    fc.assert(
      fc.property(windows, fixedShares, outputs, (window, share, output) => {
        const limits = limitsFor(window, output, Math.floor(window * share));
        const { pressureTokens, thresholdTokens, hygieneTokens, usableTokens, limitTokens } = limits;
        if (thresholdTokens > limits.fixedTokens) expect(pressureTokens).toBeLessThan(thresholdTokens);
        expect(thresholdTokens).toBeLessThanOrEqual(hygieneTokens);
        expect(hygieneTokens).toBeGreaterThanOrEqual(limitTokens);
        expect(hygieneTokens).toBeLessThanOrEqual(usableTokens);
      }),
    );
  });

  it("leave a fifth of the room between two compactions, and a result that is a step below", () => {
    fc.assert(
      fc.property(windows, fixedShares, outputs, (window, share, output) => {
        const limits = limitsFor(window, output, Math.floor(window * share));
        const { stepTokens, limitTokens, fixedTokens, thresholdTokens } = limits;
        expect(stepTokens).toBeGreaterThanOrEqual(Math.floor((limitTokens - fixedTokens) / 5));
        const result = resultTokensMax(limits, thresholdTokens);
        const isNarrow = (limitTokens - fixedTokens) / 5 < limits.usableTokens / 20;
        if (!isNarrow) expect(thresholdTokens - result).toBeGreaterThanOrEqual(stepTokens - 1);
      }),
    );
  });

  it("come no earlier for a larger fixed part", () => {
    fc.assert(
      fc.property(windows, fixedShares, fixedShares, outputs, (window, one, other, output) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)].map((share) => Math.floor(window * share));
        const [early, late] = [limitsFor(window, output, less!), limitsFor(window, output, more!)];
        expect(late.thresholdTokens).toBeGreaterThanOrEqual(early.thresholdTokens);
      }),
    );
  });
});

describe("an engine that never compacts", () => {
  it("says so", () => {
    expect(windowLimits(createEngine("none", settings(200_000)), settings(200_000)).never).toBe(true);
    expect(windowLimits(createEngine("compressor", settings(200_000)), settings(200_000)).never).toBe(false);
  });
});
