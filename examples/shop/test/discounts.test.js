import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyDiscount } from "../src/index.js";

const line = (category, grossCents) => ({ sku: `${category}-${grossCents}`, category, grossCents });

describe("discount", () => {
  it("is nothing without a code", () => {
    assert.equal(applyDiscount([line("books", 1290)], undefined).totalCents, 0);
  });
  it("takes a percentage of one line", () => {
    const { lines, totalCents } = applyDiscount([line("books", 1000)], { code: "A", percent: 15 });
    assert.deepEqual([lines[0].discountCents, totalCents], [150, 150]);
  });
  it("leaves other categories alone", () => {
    const { lines } = applyDiscount([line("books", 1000), line("food", 1000)], {
      code: "A",
      percent: 10,
      categories: ["books"],
    });
    assert.deepEqual(
      lines.map((one) => one.discountCents),
      [100, 0],
    );
  });
  it("never makes a line negative", () => {
    const { lines } = applyDiscount([line("books", 1), line("food", 0)], { code: "A", percent: 80 });
    for (const one of lines) assert.ok(one.discountCents <= one.grossCents, JSON.stringify(one));
  });
  for (const percent of [0, -5, 81, NaN])
    it(`refuses ${percent} percent`, () =>
      assert.throws(() => applyDiscount([line("books", 1)], { code: "A", percent }), RangeError));
});
