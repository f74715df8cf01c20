import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { COLUMNS, Cart, Catalog, ordersToCsv, quote } from "../src/index.js";

const catalog = Catalog.fromFile();
const order = (region) => ({ orderId: "S-1", state: "paid", ...quote(new Cart(catalog).add("B100", 3), { region }) });

describe("the CSV export", () => {
  it("keeps its columns in order", () => {
    assert.deepEqual(COLUMNS, [
      "order",
      "state",
      "region",
      "lines",
      "subtotal",
      "discount",
      "shipping",
      "tax",
      "total",
    ]);
  });
  it("writes a decimal comma on the continent", () => assert.match(ordersToCsv([order("DE")]), /;38,67;0,00;/));
  it("writes a decimal point in Ireland", () => assert.match(ordersToCsv([order("IE")]), /;38\.67;0\.00;/));
  it("ends with a line break", () => assert.ok(ordersToCsv([]).endsWith("\n")));
});
