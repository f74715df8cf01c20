/** Which prohibitions go with one request, and what ends them. */
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../support/linear.ts";
import { isLifted, passingBanIn } from "../../../../src/core/ledger/readers/one-off-bans.ts";

const lifts = (rule: string, now: string): boolean => {
  const ban = passingBanIn(rule);
  return ban !== undefined && isLifted(ban, now);
};

describe("a prohibition that goes with one request", () => {
  it.each([
    ["yes, but we don't need to commit", "commit please, then push and open a PR"],
    ["no need to push", "ok, please push"],
    ["don't deploy yet", "Good. Now deploy to staging."],
    ["don't change anything, just let me know", "I'd like to integrate 1 and 2."],
    ["Don't write any code yet.", "Looks fine, go ahead."],
    ["Don't write any code yet.", "Could you add the first of them?"],
    ["should be dimmer, don't modify the theme, look into the footer", "ok, now we need to adjust the light theme"],
    ["Please fix the footer, but don't touch the tests", "now update the tests accordingly"],
  ])("ends with the order: %s → %s", (rule, now) => expect(lifts(rule, now)).toBe(true));

  it.each([
    ["yes, but we don't need to commit", "the last commit is broken"],
    ["yes, but we don't need to commit", "did you commit?"],
    ["yes, but we don't need to commit", "run the linter before you commit"],
    ["yes, but we don't need to commit", "please don't test and commit"],
    ["don't change anything, just let me know", "and what about the other tests?"],
    ["don't change anything, just let me know", "We don't need to add that."],
    ["should be dimmer, don't modify the theme, look into the footer", "now adjust the footer"],
    ["should be dimmer, don't modify the theme, look into the footer", "the theme is fine, change the header"],
    ["ok but don't delete it yet", "delete the log"],
    // What holds for good, or under a condition.
    ["Don't commit.", "commit please"],
    ["don't touch the lock file", "update the lock file"],
    ["Don't touch prod until I say so.", "touch prod"],
    ["yes, but never commit", "commit please"],
    ["ok, but don't commit without my review", "commit please"],
    ["No, don't use the workaround, it's slower.", "use the workaround"],
  ])("stays, or was none: %s ↛ %s", (rule, now) => expect(lifts(rule, now)).toBe(false));

  it("costs no more on one endless line", () => {
    const ban = passingBanIn("yes, but we don't need to commit")!;
    for (const word of ["don't ", "a, ", "and commit "])
      expectLinear(50_000, (times) => () => passingBanIn(word.repeat(times)));
    expectLinear(200_000, (times) => () => isLifted(ban, "and commit ".repeat(times)));
  });
});
