/** What was decided about counts, one decision a part: `node stocktake.hidden.js PART` in the agent's copy of the shop. */
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const load = (file) => import(pathToFileURL(`${process.cwd()}/src/${file}`).href);
const { Inventory, Log } = await load("index.js");
const { applyCounts } = await load("stocktake.js");

/** Counts against a stock, with `reserved` units of the first sku held by somebody who pays. */
async function count(stock, counts, reserved = 0) {
  const inventory = new Inventory(Object.entries(stock));
  const lines = [];
  const log = new Log({ level: "debug", write: (line) => lines.push(JSON.parse(line)) });
  const id = reserved === 0 ? undefined : inventory.reserve([{ sku: Object.keys(stock)[0], quantity: reserved }]);
  const given = Object.entries(counts).map(([sku, counted]) => ({ sku, counted }));
  const result = await applyCounts({ inventory, counts: given, log });
  return { inventory, id, lines, result };
}

const PARTS = {
  tolerance: async () => {
    const { inventory, result } = await count({ B1: 40, B2: 40, B3: 40, B4: 40 }, { B1: 42, B2: 38, B3: 43, B4: 37 });
    assert.deepEqual([...result.booked].sort(), ["B1", "B2"]);
    assert.deepEqual([...result.recount].sort(), ["B3", "B4"]);
    assert.deepEqual(
      ["B1", "B2", "B3", "B4"].map((sku) => inventory.onShelf(sku)),
      [42, 38, 40, 40],
    );
  },
  garden: async () => {
    const { result } = await count({ G1: 40, G2: 40 }, { G1: 30, G2: 51 });
    assert.deepEqual([result.booked, result.recount], [["G1"], ["G2"]]);
  },
  reserved: async () => {
    const { inventory, id, result } = await count({ B1: 10 }, { B1: 9 }, 5);
    assert.deepEqual([result.booked, inventory.onShelf("B1"), inventory.available("B1")], [["B1"], 9, 4]);
    inventory.commit(id);
    assert.equal(inventory.onShelf("B1"), 4);
  },
  below: async () => {
    const { inventory, result } = await count({ B1: 6 }, { B1: 4 }, 5);
    assert.deepEqual([result.booked, result.recount, inventory.onShelf("B1")], [[], ["B1"], 6]);
  },
  unknown: async () => {
    const { result } = await count({ B1: 6 }, { X9: 4, B1: 5 });
    assert.deepEqual([result.unknown, result.booked], [["X9"], ["B1"]]);
  },
  sorted: async () => {
    const skus = ["H3", "B9", "F1", "B2"];
    const all = (number) => Object.fromEntries(skus.map((sku) => [sku, number]));
    assert.deepEqual((await count(all(20), all(50))).result.recount, ["B2", "B9", "F1", "H3"]);
    assert.deepEqual((await count({}, all(5))).result.unknown, ["B2", "B9", "F1", "H3"]);
  },
  log: async () => {
    const { lines } = await count({ B1: 6, B2: 6, B3: 20 }, { B1: 5, B2: 6, B3: 2 });
    const told = lines.filter(({ message }) => message === "stock adjusted");
    assert.deepEqual(
      told.map(({ level, sku, from, to }) => [level, sku, from, to]),
      [["info", "B1", 6, 5]],
    );
  },
};
await PARTS[process.argv[2]]();
