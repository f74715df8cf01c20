import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Cart, Catalog, EventStore, Inventory, Log, Orders, quote, refund, refundCents } from "../src/index.js";

const catalog = Catalog.fromFile();

function shop({ pay = async () => ({ ok: true }) } = {}) {
  const store = new EventStore();
  const inventory = new Inventory(catalog.search().map((product) => [product.sku, product.stock]));
  return { store, inventory, orders: new Orders({ store, inventory, pay, log: new Log({ level: "error" }) }) };
}

describe("quote", () => {
  it("adds up", () => {
    const order = quote(new Cart(catalog).add("B100").add("H102", 2), { region: "DE" });
    assert.equal(order.totalCents, order.subtotalCents - order.discountCents + order.shippingCents + order.taxCents);
  });
  it("refuses an empty cart", () =>
    assert.throws(() => quote(new Cart(catalog), { region: "DE" }), { code: "empty_cart" }));
  it("taxes shipping at the standard rate", () => {
    const order = quote(new Cart(catalog).add("B100"), { region: "FR" });
    assert.equal(order.shippingTaxCents, Math.round(order.shippingCents * 0.2));
  });
});

describe("an order", () => {
  it("is paid and committed", async () => {
    const { orders, inventory } = shop();
    const before = inventory.available("B100");
    const { orderId } = await orders.place(new Cart(catalog).add("B100", 2), { region: "DE" });
    assert.equal(orders.get(orderId).state, "paid");
    assert.equal(inventory.available("B100"), before - 2);
    assert.equal(inventory.openReservations, 0);
  });
  it("says why a payment failed", async () => {
    const { orders } = shop({ pay: async () => ({ ok: false, reason: "card_declined" }) });
    await assert.rejects(orders.place(new Cart(catalog).add("B100"), { region: "DE" }), /card_declined/);
    assert.equal(orders.get("S-1001").state, "payment_failed");
  });
  it("is unknown until it is placed", () => assert.equal(shop().orders.get("S-1"), undefined));
});

describe("a refund", () => {
  it("gives back a line with its tax", async () => {
    const order = quote(new Cart(catalog).add("H101").add("B100"), { region: "DE" });
    const [line] = order.lines;
    assert.equal(refundCents(order, ["H101"]), line.grossCents + line.taxCents);
  });
  it("refuses lines that were not bought", () => {
    const order = quote(new Cart(catalog).add("H101"), { region: "DE" });
    assert.throws(() => refundCents(order, ["B100"]), /not in this order: B100/);
  });
  it("is never more than what was paid", async () => {
    const { orders, store } = shop();
    const { orderId } = await orders.place(new Cart(catalog).add("B100"), { region: "DE" });
    refund(store, orders.get(orderId), ["B100"]);
    assert.throws(() => refund(store, orders.get(orderId), ["B100"]), RangeError);
  });
});
