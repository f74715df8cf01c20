/** What comes off a cart: one percentage, spread over the lines so that a receipt can show it line by line. */
import { percentOf } from "./money.js";

const PERCENT_MAX = 80;

/**
 * @typedef {{ code: string, percent: number, categories?: readonly string[] }} Discount
 */

/**
 * Lines with `discountCents`, and the discount of the whole cart.
 * @param {readonly { category: string, grossCents: number }[]} lines
 * @param {Discount | undefined} discount
 */
export function applyDiscount(lines, discount) {
  if (discount === undefined) return { lines: lines.map((line) => ({ ...line, discountCents: 0 })), totalCents: 0 };
  assertDiscount(discount);
  const eligible = lines.filter((line) => isEligible(line, discount));
  const base = eligible.reduce((sum, line) => sum + line.grossCents, 0);
  return {
    lines: lines.map((line) => ({
      ...line,
      discountCents: isEligible(line, discount) ? percentOf(line.grossCents, discount.percent) : 0,
    })),
    totalCents: percentOf(base, discount.percent),
  };
}

/** @param {{ category: string }} line @param {Discount} discount */
function isEligible(line, discount) {
  return discount.categories === undefined || discount.categories.includes(line.category);
}

/** @param {Discount} discount */
function assertDiscount(discount) {
  if (!(discount.percent > 0 && discount.percent <= PERCENT_MAX))
    throw new RangeError(`a discount is more than 0 and at most ${PERCENT_MAX} percent, found ${discount.percent}`);
}
