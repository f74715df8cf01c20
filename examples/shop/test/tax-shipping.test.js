import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { REGIONS, applyTax, rateOf, shippingCents } from "../src/index.js";

describe("tax", () => {
  for (const [region, category, rate] of [
    ["DE", "books", 7],
    ["DE", "home", 19],
    ["FR", "food", 5.5],
    ["AT", "books", 10],
    ["IE", "books", 0],
    ["NL", "garden", 21],
  ])
    it(`of ${category} in ${region} is ${rate} %`, () => assert.equal(rateOf(region, category), rate));
  it("is taken after the discount", () => {
    const [line] = applyTax([{ category: "home", grossCents: 1000, discountCents: 200 }], "DE");
    assert.equal(line.taxCents, 152);
  });
  it("names the regions it knows", () => assert.throws(() => rateOf("US", "books"), /DE, FR, AT, NL, IE/));
});

describe("shipping", () => {
  for (const region of REGIONS)
    it(`has a price for ${region}`, () =>
      assert.ok(shippingCents({ weightGrams: 500, subtotalCents: 100, region }) > 0));
  it("is free at home from 75.00", () => {
    assert.equal(shippingCents({ weightGrams: 500, subtotalCents: 7_500, region: "DE" }), 0);
    assert.equal(shippingCents({ weightGrams: 500, subtotalCents: 7_499, region: "DE" }), 390);
  });
  it("is never free abroad", () =>
    assert.equal(shippingCents({ weightGrams: 500, subtotalCents: 90_000, region: "FR" }), 890));
  for (const [grams, cents] of [
    [1_000, 390],
    [1_001, 590],
    [5_000, 590],
    [10_000, 890],
    [31_500, 1_690],
  ])
    it(`costs ${cents} for ${grams} g at home`, () => {
      assert.equal(shippingCents({ weightGrams: grams, subtotalCents: 100, region: "DE" }), cents);
    });
  it("refuses what nobody can carry", () => {
    assert.throws(() => shippingCents({ weightGrams: 31_501, subtotalCents: 1, region: "DE" }), {
      code: "parcel_too_heavy",
    });
  });
});
