/** What the pages say of when a conversation is compacted, and to what size, is what the code does. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { markdownTable, withGenerated } from "../../scripts/docs/markdown.ts";
import { momentRows } from "../../scripts/docs/moments.ts";
import { handoffBudget } from "../../src/core/engines/compressor/limits.ts";
import { ENGINE_DEFAULTS } from "../../src/core/engines/settings.ts";
import { windowLimits } from "../../src/core/engines/window.ts";

const DOCS = resolve(import.meta.dirname, "../../docs");
const page = readFileSync(resolve(DOCS, "configuration.md"), "utf8");

it("docs/configuration.md is current, as `npm run docs` leaves it", () => {
  expect(withGenerated(page, "moments", markdownTable(momentRows()))).toBe(page);
});

it("the figures at 200,000 tokens are computed ones", () => {
  const limits = windowLimits({}, { ...ENGINE_DEFAULTS, contextLength: 200_000 });
  const shown = (tokens: number): string => tokens.toLocaleString("en-US");
  const expected = {
    threshold: shown(limits.thresholdTokens),
    step: shown(limits.stepTokens),
    result: shown(limits.resultTokens),
    tail: shown(limits.tailTokens),
    handoff: `${shown(handoffBudget(2_000, limits))} to ${shown(limits.handoffTokensMax)}`,
    hygiene: shown(limits.hygieneTokens),
  };
  const rows = [...page.matchAll(/^\| (\w+) +\|[^|]+\| ([^|]+?) +\|$/gm)].map(([, name, figure]) => [name, figure]);
  expect(Object.fromEntries(rows.filter(([name = ""]) => name in expected))).toEqual(expected);
});

it.each(["../README.md", "gateway.md"])("%s says half of the window, which is the default", (name) => {
  expect(readFileSync(resolve(DOCS, name), "utf8")).toMatch(/fills half of (its|the) model's window,\s+or\s+\[later/);
  expect(ENGINE_DEFAULTS.threshold).toBe(0.5);
});
