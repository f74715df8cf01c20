/** Whoever has a question finds the page that answers it: all pages of docs/ are linked from docs/README.md, and that from the README. */
import { posix } from "node:path";
import { expect, it } from "vitest";
import { PAGES, textOf } from "./blocks.ts";

const START = "docs/README.md";
const WORDS_MAX = 500;
const FIRST_SCREEN_LINES = 12;

const linksOf = (text: string, folder: string): readonly string[] =>
  Array.from(text.matchAll(/\]\((?!https?:)([^)#\s]+)/g), ([, target]) => posix.join(folder, target!));

it("leads to every page", () => {
  const linked = new Set(linksOf(textOf(START), "docs"));
  const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== START);
  expect(pages.length).toBeGreaterThan(30);
  expect(pages.filter((page) => !linked.has(page))).toEqual([]);
});

it("is short", () => {
  const words = textOf(START)
    .replace(/\]\([^)]*\)/g, "]")
    .split(/\s+/)
    .filter((word) => /\w/.test(word));
  expect(words.length).toBeLessThan(WORDS_MAX);
});

it("is on the README's first screen", () => {
  const first = textOf("README.md").split("\n").slice(0, FIRST_SCREEN_LINES).join("\n");
  expect(linksOf(first, "")).toContain(START);
});
