/** Texts are cut where a reader sees it, and never so that they say something else. */
import { describe, expect, it } from "vitest";
import { cut } from "../../../src/core/digest/cut.ts";

describe("a text that is cut", () => {
  it.each([
    ["charged to Visa 4417, declined", 18, "charged to Visa …"],
    ["the price is 1,327.50 EUR", 19, "the price is …"],
    ["the price is 1,327.50 EUR", 22, "the price is 1,327.50…"],
    ["ports: 3000,3001,3002,3003,3004,3005,3006,3007,3008", 40, "ports: 3000,3001,3002,3003,3004,3005,…"],
    ["no digits in here", 6, "no di…"],
  ])("keeps its numbers whole: %s", (text, charsMax, shown) => {
    expect(cut(text, charsMax)).toBe(shown);
  });

  it("keeps the beginning of one that is nothing but a number", () => {
    expect(cut("1234567890", 5)).toBe("1234…");
  });
});
