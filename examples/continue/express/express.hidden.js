/** What stands with the carrier, one decision a part: `node express.hidden.js PART` in the agent's copy of the shop. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const { expressCents, shippingCents } = await import(pathToFileURL(`${process.cwd()}/src/shipping.js`).href);
const price = (kilograms, region) => expressCents({ weightGrams: kilograms * 1000, region });

const standard = (weightGrams, region, subtotalCents = 1) => shippingCents({ weightGrams, subtotalCents, region });

const PARTS = {
  percent: () => {
    for (const [kilograms, region, cents] of [
      [4, "FR", 1880],
      [8, "NL", 2690],
      [0.5, "AT", 1210],
    ])
      assert.ok(Math.abs(price(kilograms, region) - cents) <= 10, `${kilograms} kg to ${region}`);
  },
  up: () => assert.deepEqual([price(9, "DE"), price(12, "DE"), price(12, "FR")], [1210, 2290, 4720]),
  least: () => assert.deepEqual([price(0.5, "DE"), price(4, "DE"), price(9, "DE") > 1000], [840, 840, true]),
  limit: () => {
    assert.ok(price(15, "DE") > 0);
    for (const kilograms of [15.001, 18, 40])
      assert.throws(() => price(kilograms, "DE"), { code: "express_too_heavy" });
  },
  ireland: () => {
    for (const kilograms of [1, 12]) assert.throws(() => price(kilograms, "IE"), { code: "no_express" });
  },
  grams: () =>
    assert.throws(
      () => price(40, "FR"),
      (error) => /15[ _.,]?000/.test(error.message),
    ),
  standard: () => {
    assert.deepEqual(
      [standard(4000, "DE"), standard(94_500, "FR"), standard(4000, "DE", 7_500), standard(4000, "AT", 7_500)],
      [590, 10_470, 0, 1_390],
    );
  },
};
PARTS[process.argv[2]]();
