/** docs/capacity.md is what the stored results say; the fit finds known costs, and the simulation what queueing theory says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitCosts } from "../../../bench/load/fit.ts";
import { capacityPage } from "../../../bench/load/page.ts";
import { simulate, type Demand } from "../../../bench/load/simulation.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FREE: Demand = { clientMs: 0, gatewayMs: 0, behindMs: 0, databaseMs: 0, upstreamMs: 0, waitMs: 0 };

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

describe("the simulation", () => {
  const of = (demand: Partial<Demand>, load: { readonly gateways: number; readonly cores: number; readonly atOnce: number }) => // prettier-ignore
    simulate({ ...load, sessions: Array.from({ length: 20 }, () => Array.from({ length: 50 }, () => ({ ...FREE, ...demand }))) }); // prettier-ignore

  it("has a gateway work on one request at a time, and two on two", () => {
    const demand = { gatewayMs: 10 };
    expect(of(demand, { gateways: 1, cores: 4, atOnce: 8 }).perSecond).toBeCloseTo(100, 0);
    expect(of(demand, { gateways: 2, cores: 4, atOnce: 8 }).perSecond).toBeCloseTo(200, 0);
  });

  it("has everything share the cores", () => {
    const demand = { gatewayMs: 5, databaseMs: 15 };
    expect(of(demand, { gateways: 2, cores: 2, atOnce: 16 }).perSecond).toBeCloseTo(100, -1);
    expect(of(demand, { gateways: 2, cores: 1, atOnce: 16 }).perSecond).toBeCloseTo(50, -1);
  });

  it("adds up what a turn takes alone", () => {
    const { latenciesMs } = of({ gatewayMs: 3, databaseMs: 2, upstreamMs: 1, waitMs: 4 }, { gateways: 1, cores: 2, atOnce: 1 }); // prettier-ignore
    expect(Math.max(...latenciesMs)).toBeCloseTo(10, 6);
    expect(Math.min(...latenciesMs)).toBeCloseTo(10, 6);
  });

  it("keeps to a rate that is below what it could do", () => {
    const session = Array.from({ length: 100 }, () => ({ ...FREE, gatewayMs: 2 }));
    const paced = simulate({ sessions: Array.from({ length: 4 }, () => session), atOnce: 4, gateways: 1, cores: 2, perSecond: 20 }); // prettier-ignore
    expect(paced.perSecond).toBeGreaterThan(19);
    expect(paced.perSecond).toBeLessThan(21);
  });
});
