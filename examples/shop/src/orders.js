/** From a cart to an order: price it, reserve the goods, take the money, write the events down. */
import { applyDiscount } from "./discounts.js";
import { sumCents, percentOf } from "./money.js";
import { shippingCents } from "./shipping.js";
import { applyTax, rateOf } from "./tax.js";

/**
 * The price of a cart. Pure: the same cart, region and discount always cost the same.
 * @param {import("./cart.js").Cart} cart
 * @param {{ region: string, discount?: import("./discounts.js").Discount }} options
 */
export function quote(cart, { region, discount }) {
  if (cart.isEmpty) throw new EmptyCartError();
  const discounted = applyDiscount(cart.lines(), discount);
  const lines = applyTax(discounted.lines, region);
  const subtotalCents = cart.subtotalCents();
  const shipping = shippingCents({
    weightGrams: lines.reduce((sum, line) => sum + line.weightGrams, 0),
    subtotalCents,
    region,
  });
  const shippingTaxCents = percentOf(shipping, rateOf(region, "shipping"));
  const taxCents = sumCents(lines.map((line) => line.taxCents)) + shippingTaxCents;
  return Object.freeze({
    region,
    discountCode: discount?.code ?? null,
    lines,
    subtotalCents,
    discountCents: discounted.totalCents,
    shippingCents: shipping,
    shippingTaxCents,
    taxCents,
    totalCents: subtotalCents - discounted.totalCents + shipping + taxCents,
  });
}

export class Orders {
  #store;
  #inventory;
  #pay;
  #log;
  #next = 1001;

  /**
   * @param {{ store: import("./store.js").EventStore, inventory: import("./inventory.js").Inventory,
   *   pay: (request: { orderId: string, cents: number }) => Promise<{ ok: boolean, reason?: string }>, log: import("./log.js").Log }} parts
   */
  constructor({ store, inventory, pay, log }) {
    this.#store = store;
    this.#inventory = inventory;
    this.#pay = pay;
    this.#log = log;
  }

  /** @param {import("./cart.js").Cart} cart @param {{ region: string, discount?: import("./discounts.js").Discount }} options */
  async place(cart, options) {
    const priced = quote(cart, options);
    const orderId = `S-${this.#next++}`;
    const reservation = this.#inventory.reserve(priced.lines);
    this.#store.append({ type: "placed", orderId, order: priced });
    this.#log.debug("reserved", { orderId, reservation, lines: priced.lines.length });
    const payment = await this.#pay({ orderId, cents: priced.totalCents });
    if (!payment.ok) {
      this.#store.append({ type: "payment_failed", orderId, reason: payment.reason ?? "unknown" });
      this.#log.warn("payment failed", { orderId, reason: payment.reason });
      throw new PaymentFailedError(orderId, payment.reason ?? "unknown");
    }
    this.#inventory.commit(reservation);
    this.#store.append({ type: "paid", orderId, cents: priced.totalCents });
    this.#log.info("order paid", { orderId, cents: priced.totalCents, region: priced.region });
    return { orderId, ...priced };
  }

  /** What the events of an order add up to. @param {string} orderId */
  get(orderId) {
    const events = this.#store.of(orderId);
    const placed = events.find((event) => event.type === "placed");
    if (placed === undefined) return undefined;
    const refundedCents = sumCents(events.filter((event) => event.type === "refunded").map((event) => event.cents));
    const last = events.findLast((event) => event.type !== "refunded");
    return { orderId, state: last.type, refundedCents, ...placed.order };
  }
}

export class EmptyCartError extends Error {
  name = "EmptyCartError";
  code = "empty_cart";

  constructor() {
    super("an empty cart cannot be ordered");
  }
}

export class PaymentFailedError extends Error {
  name = "PaymentFailedError";
  code = "payment_failed";

  /** @param {string} orderId @param {string} reason */
  constructor(orderId, reason) {
    super(`payment of ${orderId} failed: ${reason}`);
    this.orderId = orderId;
  }
}
