/** Another value in place of an earlier one, and what only looks like it. */
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../support/linear.ts";
import { isRenewed, renewalsIn } from "../../../../src/core/ledger/readers/replaced-values.ts";

describe("another value", () => {
  it.each([
    ["Definition of churn: no order in 60 days.", "Please use 90 days from here on."],
    ["Use c3-standard-8 with 2 nodes.", "Make it 3 nodes of c3-standard-4 instead, as you first proposed."],
    ["Yes, let's go with the economy class, please.", "Could you upgrade me to business class for that leg, please?"],
    ["Write in British English.", "And actually use American English, the client is in Boston."],
    ["Keep the timeout at 30 seconds.", "Raise it to 45 seconds."],
  ])("takes the place: %s → %s", (before, now) => expect(isRenewed(now, before)).toBe(true));

  it.each([
    ["Keep the timeout at 30 seconds.", "From now on wait 45 seconds before deploying."],
    ["Keep the timeout at 30 seconds.", "From now on retries get 45 seconds."],
    ["Keep the timeout at 30 seconds.", "Raise it to 30 seconds."],
    ["Keep the timeout at 30 seconds.", "Make it 3 nodes instead."],
    ["Between 30 days and 60 days.", "Make it 90 days."],
    ["Use c3-standard-8 with 2 nodes.", "Make it 2 nodes of c3-standard-4 and 3 pools instead."],
    ["Answer in plain English.", "Actually use plain German."],
    ["Write in British English.", "Actually use American English for the second report."],
    ["Do not use c3-standard-8.", "Make it c3-standard-4 instead."],
    ["Use c3-standard-8.", "Do not make it c3-standard-4."],
    ["Use the shared cluster.", "Use the shared cluster instead."],
  ])("is none: %s ↛ %s", (before, now) => expect(isRenewed(now, before)).toBe(false));

  it("may be asked for", () => {
    expect(renewalsIn("Thanks. Could you upgrade me to business class? And a window seat.")).toEqual([
      "Could you upgrade me to business class?",
    ]);
    expect(renewalsIn("Make it nicer. Do you have 3 seats?")).toEqual([]);
  });

  it("costs no more on one endless line", () => {
    for (const word of ["3 nodes ", "in a b ", "a-1-", "use the x "])
      expectLinear(20_000, (times) => () => isRenewed(`make it ${word.repeat(times)}`, "Use 2 nodes."));
  });
});
