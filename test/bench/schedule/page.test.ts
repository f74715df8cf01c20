/** The tables of docs/schedule.md are what the stored results say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withScheduleFigures } from "../../../bench/schedule/page.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/schedule.md"), "utf8");

describe("docs/schedule.md", () => {
  it("is written from the stored results (npm run docs:schedule)", () => {
    expect(page).toBe(withScheduleFigures(page));
  });

  it("shows no figure that is none", () => {
    expect(page).not.toMatch(/NaN|undefined|Infinity|null/);
  });
});
