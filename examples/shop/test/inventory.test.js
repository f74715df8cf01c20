import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Inventory, RESERVATION_MS } from "../src/index.js";

describe("inventory", () => {
  it("takes reserved units out of what is available", () => {
    const inventory = new Inventory([["B100", 5]]);
    inventory.reserve([{ sku: "B100", quantity: 3 }]);
    assert.equal(inventory.available("B100"), 2);
  });
  it("reserves all lines or none", () => {
    const inventory = new Inventory([
      ["B100", 5],
      ["B101", 1],
    ]);
    assert.throws(
      () =>
        inventory.reserve([
          { sku: "B100", quantity: 1 },
          { sku: "B101", quantity: 2 },
        ]),
      { code: "out_of_stock" },
    );
    assert.equal(inventory.available("B100"), 5);
  });
  it("gives released units back", () => {
    const inventory = new Inventory([["B100", 5]]);
    inventory.release(inventory.reserve([{ sku: "B100", quantity: 5 }]));
    assert.equal(inventory.available("B100"), 5);
  });
  it("does not give committed units back", () => {
    const inventory = new Inventory([["B100", 5]]);
    inventory.commit(inventory.reserve([{ sku: "B100", quantity: 5 }]));
    assert.equal(inventory.available("B100"), 0);
  });
  it("refuses to release twice", () => {
    const inventory = new Inventory([["B100", 5]]);
    const id = inventory.reserve([{ sku: "B100", quantity: 1 }]);
    inventory.release(id);
    assert.throws(() => inventory.release(id), /no open reservation R1/);
  });
  it("expires what was forgotten", () => {
    let now = 0;
    const inventory = new Inventory([["B100", 5]], { now: () => now });
    inventory.reserve([{ sku: "B100", quantity: 5 }]);
    now = RESERVATION_MS - 1;
    assert.equal(inventory.expire(), 0);
    now = RESERVATION_MS;
    assert.equal(inventory.expire(), 1);
    assert.equal(inventory.available("B100"), 5);
  });
});
