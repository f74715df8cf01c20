/** The number of parcels by weight and region, by the limits that hold at the end of the session. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { pathToFileURL } from "node:url";

const { parcelCount, shippingCents } = await import(pathToFileURL(`${process.cwd()}/src/shipping.js`).href);

for (const [kg, region, count] of [
  [0.5, "DE", 1],
  [31.5, "DE", 1],
  [31.501, "DE", 2],
  [63, "FR", 2],
  [63.001, "AT", 3],
  [94.5, "NL", 3],
  [31.5, "IE", 1],
])
  it(`is ${count} for ${kg} kg to ${region}`, () =>
    assert.equal(parcelCount({ weightGrams: Math.round(kg * 1000), region }), count));

for (const [weightGrams, region] of [
  [94_501, "DE"],
  [94_501, "FR"],
  [31_501, "IE"],
])
  it(`refuses ${weightGrams} g to ${region}`, () => {
    assert.throws(() => parcelCount({ weightGrams, region }), { code: "parcel_too_heavy" });
    assert.throws(() => shippingCents({ weightGrams, subtotalCents: 100, region }), { code: "parcel_too_heavy" });
  });

it("leaves prices as they were", () => {
  assert.equal(shippingCents({ weightGrams: 94_500, subtotalCents: 1, region: "DE" }), 3 * 1_690);
  assert.equal(shippingCents({ weightGrams: 33_000, subtotalCents: 1, region: "DE" }), 2 * 1_690);
  assert.equal(shippingCents({ weightGrams: 40_000, subtotalCents: 7_500, region: "DE" }), 0);
});
