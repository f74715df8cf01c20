/** How well a cache served a session, and the order that it likes. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addTokens,
  cacheEffectiveness,
  NO_TOKENS,
  stableFirst,
  type Stability,
} from "../../../src/core/caching/effectiveness.ts";

const tokens = fc.nat({ max: 1_000_000 });

describe("the effectiveness of a cache", () => {
  it("is a share of all input, and saves what reading costs less than it, writing paid for", () => {
    const used = { input: 1_000, cacheRead: 600, cacheWrite: 200 };
    expect(cacheEffectiveness(used)).toEqual({ hitRate: 0.6, savedShare: (600 * 0.9 - 200 * 0.25) / 1_000 });
    expect(cacheEffectiveness(used, { read: 0.5, write: 1 })).toEqual({ hitRate: 0.6, savedShare: 0.3 });
    expect(cacheEffectiveness(NO_TOKENS)).toEqual({ hitRate: 0, savedShare: 0 });
    expect(cacheEffectiveness({ input: 100, cacheRead: 0, cacheWrite: 100 }).savedShare).toBe(-0.25);
  });

  it("stays within its bounds, whatever a session's requests were", () => {
    const use = fc.record({ fresh: tokens, cacheRead: tokens, cacheWrite: tokens });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 20 }), (uses) => {
        const sum = uses
          .map(({ fresh, ...rest }) => ({ ...rest, input: fresh + rest.cacheRead + rest.cacheWrite }))
          .reduce(addTokens, NO_TOKENS);
        const { hitRate, savedShare } = cacheEffectiveness(sum);
        expect(hitRate).toBeGreaterThanOrEqual(0);
        expect(hitRate).toBeLessThanOrEqual(1);
        expect(savedShare).toBeGreaterThanOrEqual(-0.25);
        expect(savedShare).toBeLessThanOrEqual(0.9);
      }),
    );
  });
});

describe("a prompt for the cache", () => {
  it("has first what lasts longest, and keeps the order of the rest", () => {
    const piece = (text: string, lasts: Stability) => ({ text, lasts });
    const pieces = [piece("skill", "task"), piece("rules", "always"), piece("", "always"), piece("memory", "session")];
    expect(stableFirst([...pieces, piece("tone", "always")])).toBe("rules\n\ntone\n\nmemory\n\nskill");
  });

  it("begins alike where only what changes last has changed", () => {
    const text = fc.string({ minLength: 1 }).filter((one) => one.trim() !== "");
    fc.assert(
      fc.property(fc.array(text), fc.array(text), text, (always, session, task) => {
        const steady = [
          ...session.map((one) => ({ text: one, lasts: "session" }) as const),
          ...always.map((one) => ({ text: one, lasts: "always" }) as const),
        ];
        const without = stableFirst(steady);
        expect(stableFirst([{ text: task, lasts: "task" }, ...steady]).startsWith(without)).toBe(true);
      }),
    );
  });
});
