/** What is left of a sentence that is longer than its room: nothing goes without a mark, and no code changes its meaning. */
import { describe, expect, it } from "vitest";
import { condensable } from "../../../../src/core/handoff/record/condense.ts";
import { unitsOf } from "../../../../src/core/handoff/record/units.ts";

const within = (text: string, charsMax: number): string => condensable(unitsOf(text)).within(charsMax);

describe("a sentence that is too long", () => {
  it("loses what is in parentheses, and shows where", () => {
    const text =
      "Corrected revenue at risk (trailing 12 months, at the rates of the bank): 7,402,118.09 EUR (and 12 of 60 customers).";
    expect(within(text, 80)).toBe("Corrected revenue at risk […]: 7,402,118.09 EUR […].");
  });

  it("keeps what is in parentheses in code and in a sum", () => {
    const code = "I undo the second change `c = (c ^ 0x10) + 9` first and then print all (that is what was asked).";
    expect(within(code, 80)).toBe("I undo the second change `c = (c ^ 0x10) + 9` first and then print all […].");
    const sum = "The fee is 2 * (base + 3 extra bags) for each of the passengers (all of them are adults).";
    expect(within(sum, 80)).toBe("The fee is 2 * (base + 3 extra bags) for each of the passengers […].");
  });

  it("keeps parentheses that deny or limit what it says", () => {
    const text = "All tests of the parser pass now (except those of dates), on every system (three of them).";
    expect(within(text, 84)).toBe("All tests of the parser pass now (except those of dates), on every system […].");
  });

  it("has one mark where two would meet", () => {
    const text =
      "The footer shows the rate of the month (in percent of the whole), because somebody asked for it in the last meeting.";
    expect(within(text, 72)).toBe("The footer shows the rate of the month […]");
  });
});
