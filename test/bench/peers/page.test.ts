/** docs/benchmarks.md is what the stored results say, and the results hold figures and nothing that was measured on. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benchmarksPage } from "../../../bench/peers/page/page.ts";

const ROOT = join(import.meta.dirname, "../../..");
const RESULTS = join(ROOT, "bench/results");
/** Names, versions, commands and reasons are shorter; content is not. */
const WORDS_CHARS_MAX = 160;

const stored = readdirSync(RESULTS).filter((name) => name.endsWith(".json"));

describe("docs/benchmarks.md", () => {
  it("is written from the stored results (npm run docs:benchmarks)", () => {
    expect(readFileSync(join(ROOT, "docs/benchmarks.md"), "utf8")).toBe(benchmarksPage());
  });

  it("shows no figure that is none", () => {
    expect(benchmarksPage()).not.toMatch(/NaN|undefined|Infinity|null/);
  });
});

describe("stored results", () => {
  it("are there", () => expect(stored.length).toBeGreaterThan(0));

  it.each(stored)("%s names the machine, the day and the command", (name) => {
    const { machine, on, command } = JSON.parse(readFileSync(join(RESULTS, name), "utf8")) as Record<string, unknown>;
    expect(machine).toMatchObject({ cores: expect.any(Number), node: expect.stringMatching(/^v\d+/) });
    expect(on).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(command).toMatch(/^npm run |^precis /);
  });

  it.each(stored)("%s holds figures and names, never content or places", (name) => {
    const strings: string[] = [];
    JSON.parse(readFileSync(join(RESULTS, name), "utf8"), (key, value: unknown) => {
      strings.push(key);
      // What a table is to be read with is our own prose.
      if (typeof value === "string" && key !== "says") strings.push(value);
      return value;
    });
    expect(
      strings.filter((text) => text.length > WORDS_CHARS_MAX || /\n|\.json|\/(tmp|home|root|work)\//.test(text)),
    ).toEqual([]);
  });
});
