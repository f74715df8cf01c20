/** docs/capacity.md is what the stored results say, and the fit finds known costs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitCosts } from "../../../bench/load/fit.ts";
import { capacityPage } from "../../../bench/load/page.ts";

const ROOT = join(import.meta.dirname, "../../..");

describe("docs/capacity.md", () => {
  it("is written from the stored results (npm run docs:capacity)", () => {
    expect(readFileSync(join(ROOT, "docs/capacity.md"), "utf8")).toBe(capacityPage());
  });

  it("shows no figure that is none", () => {
    expect(capacityPage()).not.toMatch(/NaN|undefined|Infinity|null/);
  });
});

describe("costs", () => {
  it("are found where measurements are sums of them, and are never below zero", () => {
    const amounts = [[1, 10], [5, 20], [2, 90], [7, 3]]; // prettier-ignore
    const rows = amounts.map((one) => ({ amounts: one, total: 3 * one[0]! + 0.5 * one[1]! }));
    const [first, second] = fitCosts(rows);
    expect(first).toBeCloseTo(3, 3);
    expect(second).toBeCloseTo(0.5, 3);
    expect(fitCosts([{ amounts: [1, 1], total: 1 }, { amounts: [2, 1], total: 1 }]).every((cost) => cost >= 0)).toBe(true); // prettier-ignore
  });
});
