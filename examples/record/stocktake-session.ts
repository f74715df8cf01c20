/**
 * A session about counting the shelves: the decisions are answers to the agent's questions, one of them is overruled,
 * and the work waits behind a shop that does not start. The agent's words are written here; what the tools answer is real.
 */
import { bash, edit, grep, plan, read, write, type Recorder } from "./recorder.ts";
import { loadTest, OPEN_ITEM } from "./refunds-session.ts";
import { mendTheStart } from "./restart-session.ts";

export function recordStocktakeSession(session: Recorder): void {
  askWhatIsMissing(session);
  tryANewInventory(session);
  prepareTheInventory(session);
  session.user(INCIDENT);
  mendTheStart(session);
  session.user(LOAD_REQUEST);
  loadTest(session, ["[x] the shop starts again", "[x] load test, declined payments", OPEN_ITEM]);
  session.user(LAST_REQUEST);
}

const FIRST_REQUEST = `The warehouse counts its shelves at the end of the month. We want to take the counts over into the inventory: a function applyCounts({ inventory, counts, log }) in a new file src/stocktake.js, counts is a list of { sku, counted }. It returns { booked, recount, unknown }, three lists of skus.

Read how the stock is kept, and then ask me what you need to know. Do not write anything before I have answered.`;

const ANSWERS = `Good questions. In your order:
1. Up to 3 units more or less are booked, in both directions. More than that is never booked, it goes on recount and somebody counts again.
2. No, garden goods (the skus that begin with G) are weighed and not counted, that is why they are off so often. Up to 10 units are booked there.
3. The counters count what lies on the shelf. What is reserved still lies there, so counted includes the reserved units.
4. No exception. A sku that we do not know goes on unknown, and the rest is done.
5. Yes: log.info with the message "stock adjusted" and the fields sku, from, to, for every sku whose stock really changes. Nothing where nothing changes; a count that is right is in none of the three lists.

And while we are at it, the rules for this job:
- A reservation must never be lost, shortened or renumbered by a count. Customers are paying in that moment.
- src/index.js stays as it is. Nothing new is exported there.
- No default exports, and no classes for this: Yusuf wants functions with one object as argument.
- No console.log, not in tests either: the log is read by machines.
- No new dependencies, tests with node:test only.`;

const ADJUST = `Right, throw that away. Differences then, not a new inventory. Inventory is exported, but a method more changes no signature: give it adjust(sku, delta), and onShelf(sku) for what lies there with the reserved units (undefined for a sku it does not know). With tests, commit, and stop there, I want to show the lists to Bram of the warehouse first.`;

const BRAM = `I have spoken to Bram. Two things are different from what I said:
- 3 units are too many, somebody could walk out with them. Booked is up to 2. The 10 for garden goods are right, he says.
- He had the case that fewer were counted than are reserved. That must not be booked, whatever the difference is, and it must not throw: it goes on recount.
And he wants the three lists sorted by sku, because he walks through the shelves in that order.

But leave it for now, something is burning.`;

const INCIDENT = `${BRAM}

After last night's power cut the shop does not start any more. The log says "SyntaxError: Expected ',' or ']' after array element in JSON". Get it to start again without losing a paid order. orders.jsonl is append-only (decision 5): never rewrite or truncate that file in place, and always keep what could not be read.`;

const LOAD_REQUEST =
  "It starts again here, thank you. As we are in the middle of it: run the load script with every seventh payment declined and look at the log, not only at the exit status. I do not trust the reservations.";

const LAST_REQUEST = `Good, leave that test as it is, Ines decides on Monday what happens to late payments.

Back to the stocktake: write applyCounts({ inventory, counts, log }) in src/stocktake.js now, with tests in test/stocktake.test.js, as we left it.`;

function askWhatIsMissing(session: Recorder): void {
  session.user(FIRST_REQUEST);
  session.agent(
    "I read everything that touches the stock.",
    bash("git ls-files | xargs wc -l && git log --format='%h %ad %an: %s' --date=short"),
    read("docs/decisions.md"),
    read("src/inventory.js"),
    read("test/inventory.test.js"),
  );
  session.agent("", read("src/orders.js"), read("src/catalog.js"), read("src/log.js"), read("src/cart.js"));
  session.agent(
    "Who reads the stock, and what does the catalogue say about it?",
    grep("inventory|stock", "."),
    bash("sed -n 1,90p data/catalog.json"),
    bash(
      `node -e 'import("./src/index.js").then(({Catalog})=>{for(const p of Catalog.fromFile().search())console.log(p.sku,p.category,p.stock,p.weightGrams+"g",p.name)})'`,
    ),
    bash("npm test 2>&1"),
  );
  session.agent(
    "What I cannot find out by reading:\n1. How far may a count be off before it is not believed?\n2. Is that the same for all goods?\n3. Does `counted` include the units that are reserved for somebody who is just paying?\n4. Is a sku that the catalogue does not know an error?\n5. Is anything to be logged?",
  );
  session.user(ANSWERS);
}

function tryANewInventory(session: Recorder): void {
  session.agent(
    "The shortest way first: `Inventory` takes its stock when it is made, so a count could simply make a new one. A try outside of the repository's files, with a reservation that is open.",
    write("try.mjs", TRY),
    bash("node try.mjs"),
  );
  session.agent(
    "That is not it. The new inventory knows nothing of R1: its 5 units can be sold a second time, `commit` throws `no open reservation R1` after the customer has paid, and the next reservation gets the number R1 again. All three break your rule about reservations. The stock has to be changed in the inventory that is there.",
    bash("rm try.mjs && git status --short"),
  );
  session.user(ADJUST);
}

const TRY = `import { Inventory } from "./src/index.js";
const before = new Inventory([["B100", 40], ["G101", 12]]);
const open = before.reserve([{ sku: "B100", quantity: 5 }]);
console.log("before the count", before.available("B100"), "available,", open, "is open");
const after = new Inventory([["B100", 39], ["G101", 14]]);
console.log("after the count", after.available("B100"), "available,", after.openReservations, "open");
try {
  after.commit(open);
} catch (error) {
  console.log("payment arrives:", error.message);
}
console.log("the next reservation is", after.reserve([{ sku: "G101", quantity: 1 }]));
`;

function prepareTheInventory(session: Recorder): void {
  session.agent(
    "Two methods and their tests.",
    edit("src/inventory.js", "  /** All or nothing.", `${METHODS}\n  /** All or nothing.`),
    read("test/inventory.test.js", 1, 20),
    write("test/inventory-adjust.test.js", METHODS_TEST),
    bash("node --test 2>&1 | grep -vE '^ +✔|^✔|^▶'"),
  );
  session.agent(
    "",
    bash(
      "node --test --experimental-test-coverage 2>&1 | tail -n 40; git add -A && git commit --quiet -m 'Let the stock be adjusted under open reservations' && git show --stat --format='%h %s' HEAD",
    ),
    plan("[x] adjust and onShelf", "[ ] src/stocktake.js, when the warehouse has seen the lists"),
  );
  session.agent("`adjust(sku, delta)` and `onShelf(sku)` are there and committed. I stop here, as you said.");
}

const METHODS = `  /** What lies on the shelf, reserved or not; undefined for a sku that is not kept. @param {string} sku */
  onShelf(sku) {
    return this.#stock.get(sku);
  }

  /** Changes what lies on the shelf; open reservations stay as they are. @param {string} sku @param {number} delta */
  adjust(sku, delta) {
    if (!this.#stock.has(sku)) throw new RangeError(\`no stock is kept of \${sku}\`);
    if (!Number.isInteger(delta)) throw new TypeError(\`not a whole number of units: \${delta}\`);
    this.#stock.set(sku, this.#stock.get(sku) + delta);
  }
`;

const METHODS_TEST = `import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Inventory } from "../src/index.js";

describe("the stock on the shelf", () => {
  it("has the reserved units in it", () => {
    const inventory = new Inventory([["B100", 5]]);
    inventory.reserve([{ sku: "B100", quantity: 2 }]);
    assert.deepEqual([inventory.onShelf("B100"), inventory.available("B100")], [5, 3]);
    assert.equal(inventory.onShelf("X1"), undefined);
  });
  it("is changed under an open reservation", () => {
    const inventory = new Inventory([["B100", 5]]);
    const id = inventory.reserve([{ sku: "B100", quantity: 2 }]);
    inventory.adjust("B100", -1);
    inventory.commit(id);
    assert.equal(inventory.onShelf("B100"), 2);
  });
  it("is not changed by what is no number of units", () => {
    const inventory = new Inventory([["B100", 5]]);
    assert.throws(() => inventory.adjust("B100", 0.5), TypeError);
    assert.throws(() => inventory.adjust("X1", 1), RangeError);
  });
});
`;
