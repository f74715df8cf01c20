import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settlementLines } from "../src/settlement.js";

describe("the settlement file", () => {
  it("acc: is a number and a header without orders", () => assert.match(settlementLines([]), /^#orders=0\naccount\t/));
});
