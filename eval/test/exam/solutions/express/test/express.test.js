import assert from "node:assert/strict";
import { it } from "node:test";
import { expressCents } from "../src/shipping.js";

it("costs what the sample bill says", () => assert.equal(expressCents({ weightGrams: 9_000, region: "DE" }), 1_210));
