/** Amounts of money as integer cents. Nothing in this file returns a fraction of a cent. */

const AMOUNT = /^(-?)(\d+)(?:\.(\d{1,2}))?$/;

/**
 * Cents of a decimal amount written by a person or a feed: "12.5" is 1250.
 * @param {string} text
 * @returns {number}
 */
export function parseCents(text) {
  const match = AMOUNT.exec(text.trim());
  if (match === null) throw new RangeError(`not an amount: ${JSON.stringify(text)}`);
  const [, sign, whole, fraction = ""] = match;
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
  return sign === "-" ? -cents : cents;
}

/**
 * For people only: "1,234.50 EUR". Never parsed back.
 * @param {number} cents
 * @param {string} currency
 */
export function formatCents(cents, currency = "EUR") {
  assertCents(cents);
  const sign = cents < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, "0");
  return `${sign}${whole.toLocaleString("en-US")}.${rest} ${currency}`;
}

/**
 * A percentage of an amount, rounded half away from zero.
 * @param {number} cents
 * @param {number} percent 0 to 100, fractions allowed
 */
export function percentOf(cents, percent) {
  assertCents(cents);
  const exact = (cents * percent) / 100;
  return Math.sign(exact) * Math.round(Math.abs(exact));
}

/**
 * Splits an amount in proportion to weights without creating or losing a cent: the largest remainders get the cents
 * that are left over, the earlier of two equal ones first.
 * @param {number} cents
 * @param {readonly number[]} weights
 * @returns {number[]}
 */
export function allocate(cents, weights) {
  assertCents(cents);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map((weight) => (cents * weight) / total);
  const shares = exact.map(Math.floor);
  let left = cents - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (const { index } of byRemainder) {
    if (left <= 0) break;
    shares[index] += 1;
    left -= 1;
  }
  return shares;
}

/** @param {readonly number[]} amounts */
export function sumCents(amounts) {
  return amounts.reduce((sum, amount) => sum + assertCents(amount), 0);
}

/** @param {number} cents */
export function assertCents(cents) {
  if (!Number.isSafeInteger(cents)) throw new TypeError(`not an integer number of cents: ${cents}`);
  return cents;
}
