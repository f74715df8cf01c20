/** What the cache did for a request, in money and in tokens that need not have been read afresh. */
import { describe, expect, it } from "vitest";
import { effectOf } from "../../../src/core/caching/effectiveness.ts";

const PRICES = {
  inputUsdPerMtok: 3,
  cacheReadUsdPerMtok: 0.3,
  cacheWrite5mUsdPerMtok: 3.75,
  cacheWrite1hUsdPerMtok: 6,
};
const usage = (input: number, cacheRead: number, cacheWrite: number) => ({ input, output: 500, cacheRead, cacheWrite });

describe("the effect of a cache", () => {
  it("is what reading saved and what writing cost more", () => {
    const effect = effectOf({
      usage: usage(1_000_000, 900_000, 100_000),
      newTokens: 100_000,
      prices: PRICES,
      ttl: "5m",
    });
    expect(effect.savedUsd).toBeCloseTo(0.9 * 2.7);
    expect(effect.surchargeUsd).toBeCloseTo(0.1 * 0.75);
    expect(effect.missedTokens).toBe(0);
  });

  it("names what was sent before and not found", () => {
    const effect = effectOf({ usage: usage(40_000, 5_000, 35_000), newTokens: 2_000, prices: PRICES, ttl: "5m" });
    expect(effect.missedTokens).toBe(33_000);
    expect(effect.missedUsd).toBeCloseTo((33_000 * (3.75 - 0.3)) / 1_000_000);
  });

  it("charges an hour's price for an hour", () => {
    const effect = effectOf({ usage: usage(10_000, 0, 10_000), newTokens: undefined, prices: PRICES, ttl: "1h" });
    expect(effect).toEqual({ savedUsd: 0, surchargeUsd: (10_000 * 3) / 1_000_000 });
  });

  it("counts tokens where no price is known", () => {
    const effect = effectOf({ usage: usage(10_000, 1_000, 0), newTokens: 4_000, prices: undefined, ttl: "5m" });
    expect(effect).toEqual({ savedUsd: 0, surchargeUsd: 0, missedTokens: 5_000, missedUsd: 0 });
  });
});
