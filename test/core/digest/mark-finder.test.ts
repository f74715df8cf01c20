/** One walk for many marks finds what looking for each of them would. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFinder } from "../../../src/core/digest/mark-finder.ts";

/** Where the first mark ends behind a place, and which: the one listed first where several end there. */
function firstEnd(marks: readonly string[], text: string, from: number): [end: number, mark: number] {
  const ends = marks.map((mark) => {
    const form = new RegExp(mark.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("#", "\\d"), "g");
    form.lastIndex = from;
    const found = form.exec(text);
    return found === null ? Infinity : found.index + found[0].length;
  });
  const end = Math.min(...ends);
  return end === Infinity ? [-1, -1] : [end, ends.indexOf(end)];
}

const letters = fc.constantFrom(..."aab#. ✗");
const words = fc.string({ unit: letters, minLength: 1, maxLength: 4 });
const texts = fc.string({ unit: fc.constantFrom(..."aab127#. ✗é"), maxLength: 40 });

describe("a mark finder", () => {
  test("finds the mark that ends first, from any place on", () => {
    fc.assert(
      fc.property(fc.uniqueArray(words, { minLength: 1, maxLength: 6 }), texts, fc.nat(40), (marks, text, from) => {
        const finder = createFinder(marks);
        const end = finder.next(text, from);
        expect(end < 0 ? [-1, -1] : [end, finder.found()]).toEqual(firstEnd(marks, text, from));
      }),
    );
  });

  test("takes a mark within another, and one that begins in another's midst", () => {
    const finder = createFinder(["abcd", "bc", "cx"]);
    expect([finder.next("abcd", 0), finder.found()]).toEqual([3, 1]);
    expect([finder.next("abcx", 3), finder.next("abcx", 2), finder.found()]).toEqual([-1, 4, 2]);
  });
});
