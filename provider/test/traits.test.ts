/** What the provider holds a model to, by its name. */
import { describe, expect, it } from "vitest";
import { createModelBook } from "../src/traits.ts";

const book = createModelBook({
  models: { mine: { windowTokens: 64_000 }, "gpt-4o": { windowTokens: 10_000 } },
  all: { tokenFactor: 1.5 },
});

describe("a model's traits", () => {
  it.each([
    ["claude-opus-5-5", true],
    ["claude-fable-5-1", true],
    ["anthropic/claude-haiku-5.5", true],
    ["claude-opus-5", false],
    ["claude-opus-5-20260101", false],
    ["claude-sonnet-4-5-20250929", false],
    ["gpt-5.6-sol", false],
  ])("%s binds its thinking: %s", (name, binds) => {
    expect(book.find(name)!.bindsThinking).toBe(binds);
  });

  it.each([
    ["claude-opus-5-5", true],
    ["claude-opus-4-8", true],
    ["claude-sonnet-5", true],
    ["claude-opus-4-7", false],
    ["claude-opus-4-20250514", false],
    ["claude-haiku-4-5", false],
    ["gpt-5.6-sol", false],
  ])("%s takes system messages later on: %s", (name, takes) => {
    expect(book.find(name)!.systemTurns).toBe(takes);
  });

  it.each([
    ["gpt-4o", "automatic"],
    ["gpt-5", "automatic"],
    ["gpt-5.5", "automatic"],
    ["gpt-5-2025-08-07", "automatic"],
    ["gpt-5.6-luna", "breakpoints"],
    ["gpt-6-sol", "breakpoints"],
  ])("%s has the cache %s", (name, cache) => {
    expect(book.find(name)!.openaiCache).toBe(cache);
  });

  it("are known, stated, or none", () => {
    expect(book.find("claude-haiku-4-5")).toMatchObject({
      windowTokens: 200_000,
      cacheMinimumTokens: 4_096,
      tokenFactor: 1.5,
    });
    expect(book.find("gpt-4o")).toMatchObject({ windowTokens: 10_000, prices: { inputUsdPerMtok: 2.5 } });
    expect(book.find("mine")!.windowTokens).toBe(64_000);
    expect(book.find("yours")).toBeUndefined();
    expect(book.names()).toContain("mine");
  });
});
