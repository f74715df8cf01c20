import { describe, expect, it } from "vitest";
import { expectLinear } from "./linear.ts";

const SIZE = 40_000;
/** Walks what `size` says, for each of its elements as many steps as `steps` says. */
const walks = (steps: (size: number) => number) => (size: number) => (): number => {
  let sum = 0;
  for (let at = 0; at < size; at++) for (let step = 0; step < steps(size); step++) sum = (sum + at * step) % 1_000_003;
  return sum;
};

describe("the check for linear work", () => {
  it("passes what takes so many steps for each element", () => {
    expectLinear(
      SIZE,
      walks(() => 500),
    );
    expectLinear(
      SIZE,
      walks((size) => Math.log2(size)),
    );
  });

  it("fails what goes over the whole for each element", () => {
    expect(() =>
      expectLinear(
        SIZE / 2,
        walks((size) => size / 10),
      ),
    ).toThrow(/at a size of 20000, against 8 pieces/);
  });
});
