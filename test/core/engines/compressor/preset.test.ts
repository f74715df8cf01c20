/** The preset `current`, against the figures of Hermes Agent in November 2026. */
import { describe, expect, it } from "vitest";
import { applyCompaction } from "../../../../src/core/compaction/compaction.ts";
import { createCompressor } from "../../../../src/core/engines/compressor/compressor.ts";
import { limitsOf } from "../../../../src/core/engines/compressor/limits.ts";
import { COMPRESSOR_DEFAULTS, type CompressorSettings } from "../../../../src/core/engines/settings.ts";
import { createEngine } from "../../../../src/core/engines/engines.ts";
import { chain, filler, measure, ran, talk, user } from "../../../support/compacting.ts";

const settings = (contextLength: number, rest: Partial<CompressorSettings> = {}): CompressorSettings => ({
  ...COMPRESSOR_DEFAULTS,
  contextLength,
  preset: "current",
  ...rest,
});

describe("the compressor as it is today", () => {
  // Trigger and tail: 0.75 under 512K, else half; at least 64,000 but never above 85 % of the window; at most 256,000.
  // Tail: 2.5 % of the window, between 10,000 and 25,000.
  it.each([
    [32_000, 27_200, 10_000],
    [64_000, 54_400, 10_000],
    [100_000, 75_000, 10_000],
    [200_000, 150_000, 10_000],
    [500_000, 256_000, 12_500],
    [512_000, 256_000, 12_800],
    [1_000_000, 256_000, 25_000],
    [2_000_000, 256_000, 25_000],
  ])("has its figures in a window of %i", (window, thresholdTokens, tailTokens) => {
    expect(limitsOf(settings(window))).toMatchObject({ thresholdTokens, tailTokens });
  });

  it("counts the window less the output, and heeds no figure of the documented policy", () => {
    const own = { maxOutputTokens: 40_000, threshold: 0.3, targetRatio: 0.5, thresholdFloorTokens: 1 };
    expect(limitsOf(settings(200_000, own))).toMatchObject({ thresholdTokens: 136_000, tailTokens: 10_000 });
  });

  it("is chosen by the preset, and not otherwise", () => {
    const at = (preset: CompressorSettings["preset"]): string => {
      const engine = createEngine("compressor", settings(200_000, { preset }));
      return engine.decide(engine.init(), { tokens: 120_000, messages: 50 }).kind;
    };
    expect([at("documented"), at("current")]).toEqual(["compact", "none"]);
  });

  it.each(["documented", "current"] as const)(
    "keeps the head or gives it up after the first compaction, as %s",
    async (preset) => {
      const engine = createCompressor(settings(64_000, { preset }));
      const session = talk(
        user("Tidy the module."),
        ...Array.from({ length: 60 }, (_, at) => ran("read_file", { path: `p${at}.ts` }, filler(1_000, `p${at}`))),
      );
      const heads: number[] = [];
      let state = engine.init();
      let standing = session;
      for (const reason of ["threshold", "overflow"] as const) {
        const outcome = await engine.compact(state, session, { measure, chain, reason, standing });
        if (outcome.kind !== "compacted") throw new Error(outcome.because);
        state = outcome.compaction.state as typeof state;
        standing = applyCompaction(session, outcome.compaction);
        heads.push(standing.messages.findIndex(({ origin }) => origin === "summary"));
        // More has come since, so that the second has something to do.
        standing = { ...session, messages: [...standing.messages, ...session.messages] };
      }
      expect(heads).toEqual(preset === "current" ? [3, 0] : [3, 3]);
    },
  );
});
