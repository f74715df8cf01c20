/** Value added tax, per line (decision 3). Prices in the catalogue are net. */
import { percentOf } from "./money.js";

/** Percent by region; `standard` applies where a category has no rate of its own. */
const RATES = Object.freeze({
  DE: { standard: 19, books: 7, food: 7 },
  FR: { standard: 20, books: 5.5, food: 5.5 },
  AT: { standard: 20, books: 10, food: 10 },
  NL: { standard: 21, books: 9, food: 9 },
  IE: { standard: 23, books: 0, food: 0 },
});

export const REGIONS = Object.freeze(Object.keys(RATES));

/** @param {string} region @param {string} category */
export function rateOf(region, category) {
  const rates = RATES[region];
  if (rates === undefined) throw new UnknownRegionError(region);
  return rates[category] ?? rates.standard;
}

/**
 * Lines with `taxCents` on what is left after the discount.
 * @param {readonly { category: string, grossCents: number, discountCents: number }[]} lines
 * @param {string} region
 */
export function applyTax(lines, region) {
  return lines.map((line) => ({
    ...line,
    taxCents: percentOf(line.grossCents - line.discountCents, rateOf(region, line.category)),
  }));
}

export class UnknownRegionError extends Error {
  name = "UnknownRegionError";
  code = "unknown_region";

  /** @param {string} region */
  constructor(region) {
    super(`no tax rates for the region ${region}; known are ${REGIONS.join(", ")}`);
    this.region = region;
  }
}
