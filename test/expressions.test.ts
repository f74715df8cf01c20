/** No regular expression takes more than its share of time for a long text, whatever text that is. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { expressionsOf, slowTextFor } from "./expressions.ts";

const SRC = join(import.meta.dirname, "../src");

const expressions = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .flatMap((path) => expressionsOf(path, readFileSync(join(SRC, path), "utf8")));

it("tries all of them, and would find what takes the square of a text's length", () => {
  expect(expressions.length).toBeGreaterThan(400);
  for (const expression of [/\s+$/, /^\s*\d+/gm, /a*x/, /(?:ab)*c/, /<b>[^]*?<\/b>/g, /\s*(?:&&|;)\s*/])
    expect([expression, slowTextFor({ place: "", expression })]).toEqual([expression, expect.any(String)]);
  for (const expression of [/^\s*\d+/, /(?<!\s)\s+$/, /[^a]*a/y, /\bword\b/g])
    expect([expression, slowTextFor({ place: "", expression })]).toEqual([expression, undefined]);
});

it("finds none that does", () => {
  const slow = expressions.flatMap((one) => {
    const text = slowTextFor(one);
    return text === undefined ? [] : [`${one.place} ${String(one.expression)} is slow for ${text}`];
  });
  expect(slow).toEqual([]);
}, 300_000);
