/** Amounts in and out: what people type, and what they read. */
import { describe, expect, it } from "vitest";
import {
  parseBudget,
  parseBytes,
  count,
  counted,
  parseDuration,
  percent,
  size,
  parseTokens,
} from "../../src/cli/screen/amounts.ts";
import { bar, clip, padEnd, measureWidth } from "../../src/cli/screen/text.ts";

describe("amounts", () => {
  it.each([
    ["8000", 8_000],
    ["8_000", 8_000],
    ["8,000", 8_000],
    ["8k", 8_000],
    ["1.5M", 1_500_000],
  ])("reads %s", (text, tokens) => {
    expect(parseTokens(text, "--x")).toBe(tokens);
    expect(parseBudget(text, 100)).toBe(tokens);
  });

  it.each([
    ["20%", 2_000],
    ["0.5%", 50],
    ["100%", 10_000],
    ["0.001%", 1],
  ])("reads a budget of %s of 10,000", (text, tokens) => expect(parseBudget(text, 10_000)).toBe(tokens));

  it.each(["", "0", "-5", "abc", "20 percent", "101%", "0%", "1e3", "NaN", "Infinity", "%", "k", "9".repeat(100_000)])(
    "refuses %j",
    (text) => {
      expect(() => parseBudget(text, 10_000)).toThrow(/--budget/);
      expect(() => parseTokens(text, "--context-length")).toThrow(/--context-length/);
    },
  );

  it("reads times and sizes", () => {
    expect(["90s", "1.5h", "30d", "2W"].map((text) => parseDuration(text, "--x"))).toEqual([
      90_000, 5_400_000, 2_592_000_000, 1_209_600_000,
    ]);
    expect(["1024", "2k", "1.5m", "2GB"].map((text) => parseBytes(text, "--x"))).toEqual([
      1_024, 2_048, 1_572_864, 2_147_483_648,
    ]);
    for (const text of ["", "d", "30", "30 days", "-1d", "9".repeat(100_000)])
      expect(() => parseDuration(text, "--x")).toThrow(/--x/);
    for (const text of ["", "g", "-1", "1p", "9".repeat(100_000)]) expect(() => parseBytes(text, "--x")).toThrow(/--x/);
    expect([size(900), size(3_565_158), size(2 * 1024 ** 3)]).toEqual(["900 bytes", "3.4 MB", "2.0 GB"]);
  });

  it("are written for people", () => {
    expect([count(145_941), counted(1, "message"), counted(2_000, "id")]).toEqual([
      "145,941",
      "1 message",
      "2,000 ids",
    ]);
    expect([percent(0.844), percent(0.0123), percent(0)]).toEqual(["84 %", "1.2 %", "0 %"]);
  });
});

describe("bars", () => {
  it("are as long as their share, exact to an eighth, and show anything above nothing", () => {
    expect([bar(1, 4), bar(0.5, 4), bar(0, 4)]).toEqual(["████", "██", ""]);
    expect([bar(0.0001, 4), bar(9 / 32, 4), bar(7, 4), bar(Number.NaN, 4)]).toEqual(["▏", "█▏", "████", ""]);
  });

  it("align wide letters and cut to the width of a terminal", () => {
    expect([measureWidth("日本"), measureWidth("é"), measureWidth("e\u0301")]).toEqual([4, 1, 1]);
    expect(padEnd("日本", 6)).toBe("日本  ");
    expect(clip("日本語の文", 6)).toBe("日本…");
    expect(clip("one\n\u001b[31mtwo\u0007 three", 40)).toBe("one [31mtwo three");
    expect(measureWidth(clip("x".repeat(1_000_000), 20))).toBe(20);
  });
});
