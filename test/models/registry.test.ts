/** What is known of models: the longest name wins, the configuration wins over it, and providers correct both. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withGenerated } from "../../scripts/docs/markdown.ts";
import { bareName, findLongestMatch, createRegistry, knownModels, lookUp } from "../../src/models/registry/registry.ts";
import { modelList } from "../../scripts/docs/models.ts";
import { registryOf } from "../../src/models/settings.ts";
import { costOf } from "../../src/models/ai-sdk.ts";
import { expectLinear } from "../support/linear.ts";

const RUNS = { numRuns: Number(process.env["PRECIS_TEST_RUNS"] ?? 100) };
const known = [...knownModels().keys()];
const registry = createRegistry();

describe("the table", () => {
  it("has a source and a day for every model, and figures that can be", () => {
    expect(known.length).toBeGreaterThan(80);
    for (const [name, facts] of knownModels()) {
      expect(facts.source, name).not.toBe("");
      expect(facts.asOf, name).toMatch(/^202\d-\d\d-\d\d$/);
      const { windowTokens = 8_192, maxOutputTokens = 1, prices, cache } = facts;
      expect(windowTokens, name).toBeGreaterThan(maxOutputTokens);
      expect(windowTokens, name).toBeGreaterThanOrEqual(8_192);
      for (const price of Object.values({ ...prices, longPrompt: 0 })) expect(price, name).toBeGreaterThanOrEqual(0);
      if (prices?.cacheReadUsdPerMtok !== undefined)
        expect(prices.cacheReadUsdPerMtok, name).toBeLessThan(prices.inputUsdPerMtok);
      if (prices !== undefined) expect(prices.outputUsdPerMtok, name).toBeGreaterThan(prices.inputUsdPerMtok);
      expect(cache?.minimumTokens ?? 512, name).toBeGreaterThanOrEqual(512);
    }
  });

  it("charges Claude's cache writes 1.25 and 2 times the input", () => {
    for (const [name, { prices }] of knownModels()) {
      if (!name.startsWith("claude-") || prices === undefined || name === "claude-3-haiku") continue;
      expect(prices.cacheWrite5mUsdPerMtok! / prices.inputUsdPerMtok, name).toBeCloseTo(1.25, 6);
      expect(prices.cacheWrite1hUsdPerMtok! / prices.inputUsdPerMtok, name).toBeCloseTo(2, 6);
    }
  });
});

describe("docs/models.md", () => {
  it("holds the list as `npm run docs` left it", () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../docs/models.md"), "utf8");
    expect(withGenerated(page, "models", modelList())).toBe(page);
  });
});

describe("names", () => {
  it.each([
    ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
    ["anthropic/claude-haiku-4.5", "claude-haiku-4-5"],
    ["anthropic/claude-haiku-4.5:beta", "claude-haiku-4-5"],
    ["us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
    ["claude-haiku-4-5@20251001", "claude-haiku-4-5"],
    ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5"],
    ["openrouter/openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini"],
    ["GPT-4o", "gpt-4o"],
    ["gpt-5-2025-08-07", "gpt-5"],
    ["gpt-5-codex", "gpt-5"],
    ["z-ai/glm-5.3:free", "glm-5-3"],
    ["gemini-3-flash-preview", "gemini-3-flash"],
  ])("%s is %s", (name, row) => {
    expect(lookUp(registry, name)).toMatchObject({ windowTokens: knownModels().get(row)!.windowTokens });
    expect(findLongestMatch(name, new Map(known.map((one) => [one, one])))).toBe(row);
  });

  it.each([
    "gpt-5.9",
    "gpt-5-7-sol",
    "claude-opus-4-9",
    "gpt-4.1-micro",
    "o3-large",
    "claude",
    "gpt",
    "",
    "-",
    "my-llama",
  ])("%j is nobody's", (name) => expect(lookUp(registry, name)).toBeUndefined());

  const words = fc
    .stringMatching(/^[a-z]{1,6}$/)
    .filter((word) => !["pro", "max", "lite", "mini", "fast"].includes(word));
  const names = fc.array(words, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("-"));

  it("mean the longest that begins them", () =>
    fc.assert(
      fc.property(fc.uniqueArray(names, { minLength: 1, maxLength: 12 }), names, (rows, name) => {
        const longest = rows
          .filter((row) => name === row || name.startsWith(`${row}-`))
          .toSorted((one, other) => other.length - one.length)[0];
        fc.pre(!/-(?:nano|micro|small|medium|large|ultra|flash|turbo|image|audio|tts|live)\b/.test(name));
        expect(findLongestMatch(name, new Map(rows.map((row) => [row, row])))).toBe(longest);
      }),
      RUNS,
    ));

  it("are brought to one form, whatever router, day or variant they come with", () =>
    fc.assert(
      fc.property(fc.constantFrom(...known), names, names, (name, router, variant) => {
        const dated = `${router}/${name}-20260102:${variant}`;
        expect(bareName(bareName(dated))).toBe(bareName(dated));
        expect(lookUp(registry, dated)).toEqual(lookUp(registry, name));
      }),
      RUNS,
    ));

  it("cost no more when they are long", () => {
    expectLinear(1_000_000, (pieces) => () => lookUp(registry, `${"a-".repeat(pieces)}`));
  });
});

describe("layers", () => {
  const figures = fc.record({
    context_length: fc.integer({ min: 1, max: 10_000_000 }),
    input_usd_per_mtok: fc.double({ min: 0, max: 100, noNaN: true }),
  });

  it("let the configuration win, figure by figure", () =>
    fc.assert(
      fc.property(fc.constantFrom(...known), figures, (name, stated) => {
        const before = lookUp(registry, name)!;
        const after = lookUp(registryOf({ models: { [name]: stated } }), name)!;
        expect(after.windowTokens).toBe(stated.context_length);
        if (before.prices === undefined) expect(after.prices).toBeUndefined();
        else expect(after.prices).toEqual({ ...before.prices, inputUsdPerMtok: stated.input_usd_per_mtok });
        expect(after.maxOutputTokens).toBe(before.maxOutputTokens);
        expect(after.sources[0]).toBe("the configuration");
      }),
      RUNS,
    ));

  it("take the smallest cached prefix and images from the configuration too", () => {
    const models = { "claude-haiku-4-5": { cache_minimum_tokens: 2_048, image_tokens: 900 } };
    const found = lookUp(registryOf({ models }), "claude-haiku-4-5")!;
    expect(found.cache).toMatchObject({ kind: "markers", markersMax: 4, minimumTokens: 2_048 });
    expect(found.imageTokens).toBe(900);
  });
});

describe("costs", () => {
  const spent = { inputTokens: 300_000, outputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0 };

  it("rise for the whole request past the length that the provider names", () => {
    const { prices } = lookUp(registry, "gpt-5.5")!;
    expect(costOf(spent, prices!)).toBeCloseTo(0.3 * 10 + 0.001 * 45, 9);
    expect(costOf({ ...spent, inputTokens: 200_000 }, prices!)).toBeCloseTo(0.2 * 5 + 0.001 * 30, 9);
  });

  it("are those of Anthropic's published example", () => {
    const { prices } = lookUp(registry, "claude-haiku-5-5")!;
    expect(costOf({ ...spent, inputTokens: 100_000 }, prices!)).toBeCloseTo(0.01 + 0.0005, 9);
    expect(costOf({ ...spent, inputTokens: 100_001 }, prices!)).toBeCloseTo(0.0500005 + 0.0025, 9);
  });

  it("charge reads and writes of the cache at their own prices", () => {
    const { prices } = lookUp(registry, "claude-sonnet-4-5")!;
    const cached = { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 600_000, cacheWriteTokens: 300_000 };
    expect(costOf(cached, prices!)).toBeCloseTo(0.1 * 3 + 0.6 * 0.3 + 0.3 * 3.75, 9);
  });
});
