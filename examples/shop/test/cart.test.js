import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Cart, Catalog } from "../src/index.js";

const catalog = Catalog.fromFile();

describe("cart", () => {
  it("starts empty", () => assert.equal(new Cart(catalog).isEmpty, true));
  it("adds up quantities of the same sku", () => {
    const cart = new Cart(catalog).add("B100", 2).add("B100");
    assert.equal(cart.lines()[0].quantity, 3);
  });
  it("keeps lines in the order in which they came", () => {
    const cart = new Cart(catalog).add("G100").add("B100").add("F100");
    assert.deepEqual(
      cart.lines().map((line) => line.sku),
      ["G100", "B100", "F100"],
    );
  });
  it("removes a line at quantity zero", () => assert.equal(new Cart(catalog).add("B100").set("B100", 0).isEmpty, true));
  it("multiplies price and weight", () => {
    const [line] = new Cart(catalog).add("H101", 4).lines();
    assert.equal(line.grossCents, line.unitCents * 4);
    assert.equal(line.weightGrams, catalog.get("H101").weightGrams * 4);
  });
  for (const quantity of [0, -1, 1.5, 100, NaN])
    it(`refuses to add ${quantity}`, () => assert.throws(() => new Cart(catalog).add("B100", quantity), RangeError));
  it("refuses what the shop does not sell", () =>
    assert.throws(() => new Cart(catalog).add("X1"), { code: "unknown_sku" }));
});
