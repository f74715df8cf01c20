import { describe, expect, test } from "vitest";
import { focusLines } from "../../../src/core/digest/focus.ts";
import { pageOf } from "../../../src/core/digest/page.ts";

const page = pageOf(
  Array.from({ length: 100 }, (_, at) => {
    if (at === 70) return "the kestrel queue drained";
    if (at === 80) return "the KESTREL queue drained its cache";
    return at % 10 === 0 ? `cache entry ${at}` : `request ${at} served`;
  }).join("\n"),
);

describe("focusLines", () => {
  test("puts rare words before frequent ones, and lines with more of them first", () => {
    expect(focusLines(page, { words: ["cache", "kestrel"] }, 3)).toEqual([80, 70, 0]);
  });

  test("puts a name that the agent used before a word of the task", () => {
    expect(focusLines(page, { words: ["kestrel"], names: ["entry"] }, 1)).toEqual([0]);
  });

  test("ignores words that stand in most lines, and words that stand in none", () => {
    expect(focusLines(page, { words: ["request", "absent", "it"] }, 5)).toEqual([]);
  });

  test("takes words as they are, not as patterns", () => {
    expect(focusLines(pageOf("a\nb c++ (x)\nccc"), { words: ["c++ (x)", ".*"] }, 5)).toEqual([1]);
  });
});
