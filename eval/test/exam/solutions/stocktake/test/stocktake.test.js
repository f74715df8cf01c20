import assert from "node:assert/strict";
import { it } from "node:test";
import { Inventory, Log } from "../src/index.js";
import { applyCounts } from "../src/stocktake.js";

it("books a small difference", () => {
  const inventory = new Inventory([["B100", 5]]);
  const log = new Log({ write: () => undefined });
  assert.deepEqual(applyCounts({ inventory, counts: [{ sku: "B100", counted: 4 }], log }).booked, ["B100"]);
});
