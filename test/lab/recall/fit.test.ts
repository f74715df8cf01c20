/** The fit finds the weights that made the data. */
import { describe, expect, it } from "vitest";
import { FEATURES } from "../../../src/core/excerpts/weights.ts";
import { fitWeights, type Sample } from "../../../src/lab/recall/fit.ts";

const IDENTIFIERS = 40_000;

/** Numbers in [0, 1) that a small linear generator gives, the same every time. */
function draws(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

interface World {
  readonly bias: number;
  readonly weights: readonly number[];
  readonly value: (draw: () => number) => number;
}

/** Identifiers whose features are drawn, and asked for as often as the weights say. */
function sampleOf({ bias, weights, value }: World): Sample {
  const draw = draws(42);
  const rows = new Float64Array(IDENTIFIERS * FEATURES.length);
  const asked = new Uint8Array(IDENTIFIERS);
  for (let row = 0; row < IDENTIFIERS; row++) {
    let z = bias;
    weights.forEach((weight, at) => {
      const drawn = value(draw);
      rows[row * FEATURES.length + at] = drawn;
      z += weight * drawn;
    });
    asked[row] = draw() < 1 / (1 + Math.exp(-z)) ? 1 : 0;
  }
  return { repository: "made", rows, asked, weight: 1 };
}

const smooth = (draw: () => number): number => draw() + draw() + draw() - 1.5;

describe("the fit", () => {
  it("finds the weights behind the answers", () => {
    const weights = FEATURES.map((_, at) => [1.5, -1, 0.5, 0][at % 4]!);
    const found = fitWeights([sampleOf({ bias: -2, weights, value: smooth })]);
    expect(found.bias).toBeCloseTo(-2, 0);
    FEATURES.forEach((feature, at) => expect(Math.abs(found[feature] - weights[at]!)).toBeLessThan(0.15));
  });

  it("finds what a rare fact is worth, where whole steps would overshoot", () => {
    const weights = FEATURES.map((_, at) => [4, 1][at] ?? 0);
    const found = fitWeights([sampleOf({ bias: -5, weights, value: (draw) => (draw() < 0.01 ? 1 : 0) })]);
    expect(found.bias).toBeCloseTo(-5, 0);
    expect(Math.abs(found[FEATURES[0]] - 4)).toBeLessThan(0.5);
    expect(Math.abs(found[FEATURES[1]] - 1)).toBeLessThan(0.6);
  });

  it("gives no weight to what tells nothing", () => {
    const found = fitWeights([sampleOf({ bias: -2, weights: FEATURES.map(() => 0), value: smooth })]);
    for (const feature of FEATURES) expect(Math.abs(found[feature])).toBeLessThan(0.15);
  });
});
