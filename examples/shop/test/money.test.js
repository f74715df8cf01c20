import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allocate, formatCents, parseCents, percentOf, sumCents } from "../src/index.js";

describe("parseCents", () => {
  for (const [text, cents] of [
    ["12", 1200],
    ["12.5", 1250],
    ["12.05", 1205],
    ["-3.20", -320],
    [" 0.01 ", 1],
  ])
    it(`reads ${JSON.stringify(text)} as ${cents}`, () => assert.equal(parseCents(text), cents));
  for (const text of ["", "12,50", "1.234", "1e3", "EUR 5"])
    it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseCents(text), RangeError));
});

describe("formatCents", () => {
  it("groups thousands", () => assert.equal(formatCents(123_450), "1,234.50 EUR"));
  it("keeps the sign of small negatives", () => assert.equal(formatCents(-5), "-0.05 EUR"));
  it("refuses fractions", () => assert.throws(() => formatCents(1.5), TypeError));
});

describe("percentOf", () => {
  for (const [cents, percent, expected] of [
    [1000, 15, 150],
    [1290, 15, 194],
    [10, 5, 1],
    [-10, 5, -1],
    [999, 5.5, 55],
  ])
    it(`${percent} % of ${cents} is ${expected}`, () => assert.equal(percentOf(cents, percent), expected));
});

describe("allocate", () => {
  it("splits evenly with the first getting the cent", () => assert.deepEqual(allocate(100, [1, 1, 1]), [34, 33, 33]));
  it("follows the weights", () => assert.deepEqual(allocate(1000, [1, 2, 7]), [100, 200, 700]));
  it("gives nothing to a weight of zero", () => assert.deepEqual(allocate(99, [1, 0, 1]), [50, 0, 49]));
  it("adds up for a thousand random splits", () => {
    for (let at = 1; at <= 1000; at += 1) {
      const weights = Array.from({ length: 1 + (at % 7) }, (_, index) => 1 + ((at * 37 + index * 101) % 997));
      assert.equal(sumCents(allocate(at * 13, weights)), at * 13);
    }
  });
});
