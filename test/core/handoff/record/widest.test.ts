/** The length that is found fills the room, in a few tries. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { charsAt } from "../../../../src/core/handoff/record/steps.ts";
import { NOTHING, widest } from "../../../../src/core/handoff/record/widest.ts";
import type { SharedLine } from "../../../../src/core/handoff/record/written-lines.ts";

const FEW_TRIES = 6;

function lineOf(chars: number): SharedLine {
  return { line: { message: 1, label: "", weight: 1, body: { chars, within: () => "" } }, share: 0, about: true };
}

/** Lines that come to that many tokens a character, whatever is calculated. */
function search(lengths: readonly number[], tokensMax: number, tokensAChar: number) {
  let tries = 0;
  const tokensAt = (step: number): number =>
    step === NOTHING ? 0 : lengths.reduce((sum, chars) => sum + Math.min(chars, charsAt(step)) * tokensAChar, 0);
  const step = widest(lengths.map(lineOf), (at) => (tries++, tokensAt(at)), { tokensMax });
  return { tries, tokens: tokensAt(step) };
}

describe("the greatest length", () => {
  it("never takes more than the room, and hardly less where there is enough to say", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        lengths,
        fc.integer({ min: 1, max: 20_000 }),
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        (all, room, rate) => {
          const { tokens, tries } = search(all, room, rate);
          expect(tokens).toBeLessThanOrEqual(room);
          const whole = all.reduce((sum, chars) => sum + chars, 0) * rate;
          if (whole <= room) expect(tokens).toBeGreaterThanOrEqual(Math.min(whole, room * 0.9) - 1e-6);
          expect(tries).toBeLessThan(20);
        },
      ),
    );
  });

  it.each([0.15, 0.25, 0.4])("fills the room in a few tries at %f tokens a character", (rate) => {
    const lengths = Array.from({ length: 200 }, (_, at) => 40 + ((at * 37) % 900));
    const { tokens, tries } = search(lengths, 6_000, rate);
    expect(tokens).toBeGreaterThan(6_000 * 0.95);
    expect(tries).toBeLessThanOrEqual(FEW_TRIES);
  });
});
