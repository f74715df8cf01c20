/** No regular expression takes more than its share of time for a long text of repeated pieces. */
import { expect, it } from "vitest";
import { expressionsInSources, slowExpressions, slowTextFor } from "./expressions.ts";

const expressions = expressionsInSources();

it("tries all of them, and would find what takes the square of a text's length", () => {
  expect(expressions.length).toBeGreaterThan(400);
  for (const expression of [
    /\s+$/,
    /^\s*\d+/gm,
    /a*x/,
    /(?:ab)*c/,
    /<b>[^]*?<\/b>/g,
    /<(b|i)>[^]*?<\/\1>/g,
    /\s*(?:&&|;)\s*/,
  ])
    expect([expression, slowTextFor({ place: "", expression }, "units")]).toEqual([expression, expect.any(String)]);
  for (const expression of [/^\s*\d+/, /(?<!\s)\s+$/, /[^a]*a/y, /\bword\b/g])
    expect([expression, slowTextFor({ place: "", expression }, "openings")]).toEqual([expression, undefined]);
}, 300_000);

it("finds none that does", () => {
  expect(slowExpressions(expressions, "units")).toEqual([]);
}, 300_000);
