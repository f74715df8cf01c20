import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Catalog, UnknownSkuError } from "../src/index.js";

describe("catalogue", () => {
  const catalog = Catalog.fromFile();

  it("reads forty products", () => assert.equal(catalog.size, 40));
  it("prices everything in whole cents", () => {
    for (const product of catalog.search()) assert.ok(Number.isSafeInteger(product.priceCents), product.sku);
  });
  it("finds by category", () => assert.equal(catalog.search({ category: "books" }).length, 10));
  it("finds by a part of the name, whatever its case", () => {
    assert.deepEqual(
      catalog.search({ text: "soup" }).map((product) => product.name),
      ["A Year of Soup"],
    );
  });
  it("finds by price", () =>
    assert.ok(catalog.search({ maxPriceCents: 1000 }).every((product) => product.priceCents <= 1000)));
  it("names the sku it does not know", () => {
    assert.throws(
      () => catalog.get("X999"),
      (error) => error instanceof UnknownSkuError && error.sku === "X999",
    );
  });
  it("refuses a sku that stands twice", () => {
    const one = catalog.get("B100");
    assert.throws(() => new Catalog([one, one]), /stands twice/);
  });
});
