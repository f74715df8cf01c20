/** The bytes of a text are those of each of its characters, however long it is and wherever it is cut. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { bytesOf } from "../../../src/core/excerpts/characters.ts";
import { RUNS } from "../../support/transcripts.ts";

/** Longer than what is taken for ASCII or not at a time, with something else in some of it. */
const pieces = fc.oneof(
  fc.nat(6_000).map((length) => "let total = sum(orders); ".repeat(length / 25)),
  fc.string({
    unit: fc.constantFrom(..."aZ9_./~@ \n", "é", "文", "→", "😀", "𝒳", "\ud800", "\udc00", "\u00a0", "\u2028"),
  }),
);
const texts = fc.array(pieces, { minLength: 2, maxLength: 6 }).map((parts) => parts.join(""));

it("are those of its characters one by one, and end with a zero", () => {
  const CUT_LEAST = 4_096;
  let longest = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const whole = bytesOf(text, 0, text.length).slice(0, text.length + 1);
      expect(whole[text.length]).toBe(0);
      const alone = Array.from({ length: text.length }, (_, at) => bytesOf(text, at, at + 1)[0]);
      expect([...whole.subarray(0, text.length)]).toEqual(alone);
      if (/[^\0-\x7f]/.test(text)) longest = Math.max(longest, text.length);
    }),
    { numRuns: RUNS / 10 },
  );
  expect(longest).toBeGreaterThan(2 * CUT_LEAST);
});

it("are read of a text that is longer than what is kept", () => {
  const CHARS = 1_200_000;
  const text = "a/文 ".repeat(CHARS / 4);
  const bytes = bytesOf(text, 0, text.length);
  expect([...bytes.subarray(text.length - 4, text.length + 1)]).toEqual([...bytes.subarray(0, 4), 0]);
});
