/** How much room quotes are planned to have, and in which order they give way. */
import { describe, expect, it } from "vitest";
import type { Excerpt } from "../../../src/core/excerpts/excerpts.ts";
import { chooseExcerpts, plannedExcerptsShare } from "../../../src/core/handoff/excerpt-fill.ts";
import { createTokenBudget } from "../../../src/core/handoff/token-budget.ts";
import { measure } from "../../support/compacting.ts";

describe("the share planned for quotes", () => {
  const planned = (share: number): number => plannedExcerptsShare({ room: share * 100_000, replacedTokens: 100_000 });

  it("is largest where a handoff is a tenth of what it stands for", () => {
    expect(planned(0.1)).toBeGreaterThan(0.5);
    expect(planned(0.04)).toBeLessThan(planned(0.1));
    expect(planned(0.2)).toBeLessThan(planned(0.1));
  });

  it("never falls to nothing", () => {
    for (const share of [0.001, 0.3, 1]) expect(planned(share)).toBeGreaterThan(0.1);
  });
});

it("quotes that are carried on stand behind new ones, the oldest last: they give way first", () => {
  const quote = (text: string): Excerpt => ({
    message: 1,
    source: "read a.ts",
    text,
    tokens: measure.text(`${text}\n`),
  });
  const chosen = chooseExcerpts(
    {
      excerpts: () => [quote("export const newest = 3;")],
      carried: [quote("export const oldest = 1;"), quote("export const older = 2;")],
      matches: undefined,
    },
    measure,
    {
      tokens: createTokenBudget({ room: 1_000, budget: 1_000 }, undefined),
      tokensMax: 1_000,
      present: "",
      headingTokens: 5,
    },
  );
  expect(chosen.map(({ text }) => /\w+(?= =)/.exec(text)![0])).toEqual(["newest", "older", "oldest"]);
});
