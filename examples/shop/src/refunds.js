/** Money that goes back: whole lines, never more than was paid. */
import { sumCents } from "./money.js";

/**
 * Cents to give back for some lines of an order. All lines together give back everything but the shipping.
 * @param {{ lines: readonly { sku: string, grossCents: number, discountCents: number, taxCents: number }[] }} order
 * @param {readonly string[]} skus
 */
export function refundCents(order, skus) {
  const wanted = new Set(skus);
  const lines = order.lines.filter((line) => wanted.has(line.sku));
  if (lines.length !== wanted.size) {
    const known = new Set(lines.map((line) => line.sku));
    throw new RangeError(`not in this order: ${[...wanted].filter((sku) => !known.has(sku)).join(", ")}`);
  }
  return sumCents(lines.map((line) => line.grossCents - line.discountCents + line.taxCents));
}

/**
 * Writes the refund down.
 * @param {import("./store.js").EventStore} store
 * @param {{ orderId: string, totalCents: number, refundedCents: number, lines: readonly any[] }} order
 * @param {readonly string[]} skus
 */
export function refund(store, order, skus) {
  const cents = refundCents(order, skus);
  if (order.refundedCents + cents > order.totalCents)
    throw new RangeError(`a refund of ${cents} exceeds what is left of ${order.orderId}`);
  store.append({ type: "refunded", orderId: order.orderId, skus: [...skus], cents });
  return cents;
}
