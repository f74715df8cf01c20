/** The short session: a server that does not come back after a power cut. The agent's words are written here; what the tools answer is real. */
import { bash, edit, plan, read, type Recorder } from "./recorder.ts";

export function recordRestartSession(session: Recorder): void {
  session.user(FIRST_REQUEST);
  mendTheStart(session);
  session.user(LAST_REQUEST);
}

/** The work itself, for sessions in which it is only one of several jobs. */
function mendTheStart(session: Recorder): void {
  findTheHalfLine(session);
  mendTheLoading(session);
}

const FIRST_REQUEST = `After last night's power cut the shop does not start any more. The log says "SyntaxError: Expected ',' or ']' after array element in JSON". Get it to start again without losing a paid order.

Please note: orders.jsonl is append-only (decision 5). Never rewrite or truncate that file in place, and always keep what could not be read. No new dependencies.`;

const LAST_REQUEST = `Starts again here, thank you. One question before I merge: what happens when a line in the middle of the file is broken, not the last one? If we would lose an order silently there, it must refuse to start and name the line. Add a test for it either way.`;

const WRITE_BROKEN_FILE = `SHOP_FILE=orders.jsonl node -e 'import("./src/app.js").then(async ({createApp})=>{const {Cart}=await import("./src/index.js");const {catalog,orders}=createApp({level:"error",file:process.env.SHOP_FILE});for(const sku of ["B100","B101","H102"])await orders.place(new Cart(catalog).add(sku,2),{region:"DE"})})' && head -c -200 orders.jsonl > cut.jsonl && mv cut.jsonl orders.jsonl && wc orders.jsonl && tail -n 1 orders.jsonl | cut -c1-160`;

const START = `node -e 'import("./src/app.js").then(({createApp})=>{const {store,orders}=createApp({level:"warn",file:"orders.jsonl"});console.log(store.all().length,"events; S-1002 is",orders.get("S-1002").state,"; S-1003 is",orders.get("S-1003")?.state)}).catch((error)=>{console.error(String(error.stack));process.exit(1)})'`;

function findTheHalfLine(session: Recorder): void {
  session.agent(
    "First what the decision says and how the file is read, then a file cut off in the middle of a line, as a power cut leaves it.",
    bash("sed -n '/## 5/,/## 6/p' docs/decisions.md"),
    read("src/store.js"),
    bash(WRITE_BROKEN_FILE),
  );
  session.agent("", bash(START));
  session.agent(
    "Reproduced. `#load` parses every line and the last one ends in the middle of a string. Second fault, behind it: even if the half line were skipped, the next `append` would glue its event onto it and spoil a good one. And `Orders` counts from S-1001 again after every start, so new orders would get numbers that exist; I note that and look.",
    plan(
      "[x] reproduce with a file that is cut off",
      "[>] skip and keep a last line that is incomplete",
      "[ ] the next append starts on a line of its own",
      "[ ] check the order numbers after a restart",
      "[ ] tests, commit",
    ),
    bash("grep -n 'next' src/orders.js src/inventory.js"),
    bash("ls test; git log --oneline | head -n 3; npm test 2>&1 | tail -n 9"),
  );
}

function mendTheLoading(session: Recorder): void {
  session.agent(
    "A last line without a line break was never acknowledged, so it may be set aside: it is copied to `orders.jsonl.rejected`, and the file itself is only ever appended to.",
    edit("src/store.js", "  load(file) {", "  #load(file) {"),
  );
  session.agent(
    "The passage is not there: the method is private, `#load`. With the body as I read it:",
    edit("src/store.js", OLD_LOAD, NEW_LOAD),
    edit(
      "src/store.js",
      "    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(stamped)}\\n`);",
      '    if (this.#file !== undefined) appendFileSync(this.#file, `${this.#glue}${JSON.stringify(stamped)}\\n`);\n    this.#glue = "";',
    ),
    edit(
      "src/store.js",
      "  #file;\n",
      '  #file;\n  /** Ends a line that a crash left unfinished, before the next event is written. */\n  #glue = "";\n',
    ),
    bash(START),
    bash("ls -l --time-style=+ orders.jsonl* | awk '{print $5, $6, $7}'; cat orders.jsonl.rejected | cut -c1-120"),
  );
  session.agent(
    "It starts, two orders are whole and S-1003 has lost only what was never written. Now the order numbers: a fresh `Orders` on that store begins at S-1001, which exists.",
    edit(
      "src/orders.js",
      "    this.#log = log;\n  }",
      "    this.#log = log;\n    // Numbers go on where the file ends, so that a restart never hands one out twice.\n    for (const { orderId } of store.all()) this.#next = Math.max(this.#next, Number(orderId.slice(2)) + 1);\n  }",
    ),
    bash("cat > test/store.test.js <<'TEST'\n" + STORE_TEST + "TEST\nnode --test 2>&1 | grep -vE '^ +✔|^✔|^▶'"),
  );
  session.agent(
    "Two of three pass. The third is my mistake: I assumed a getter `nextId` that `Orders` does not have, and I will not add one for a test. It places an order instead.",
    edit(
      "test/store.test.js",
      `import { EventStore, Inventory, Log, Orders } from`,
      `import { Cart, Catalog, EventStore, Inventory, Log, Orders } from`,
    ),
    edit(
      "test/store.test.js",
      `  it("lets order numbers go on after a restart", () => {`,
      `  it("lets order numbers go on after a restart", async () => {`,
    ),
    edit("test/store.test.js", `new Inventory([]), pay`, `new Inventory([["B100", 1]]), pay`),
    edit(
      "test/store.test.js",
      `log: new Log() });\n    assert.equal(orders.nextId, "S-1008");`,
      `log: new Log({ level: "error" }) });\n    const placed = await orders.place(new Cart(Catalog.fromFile()).add("B100"), { region: "DE" });\n    assert.equal(placed.orderId, "S-1008");`,
    ),
    bash("node --test 2>&1 | grep -vE '^ +✔|^✔|^▶'"),
  );
  session.agent(
    "All green, the three new tests with them. Cleaning up and committing.",
    bash(
      "rm -f orders.jsonl orders.jsonl.rejected && git diff && git add -A && git commit --quiet -m 'Start again after a line that a crash cut off' && git show --stat --format='%h %s' HEAD",
    ),
    plan(
      "[x] reproduce with a file that is cut off",
      "[x] set an unfinished last line aside",
      "[x] the next append starts on a line of its own",
      "[x] order numbers go on after a restart",
      "[x] tests, commit",
    ),
  );
  session.agent(
    "The shop starts again. A last line that a crash cut off is copied to `<file>.rejected` and skipped; nothing in the file itself is rewritten, the next event starts on a line of its own, and order numbers go on where the file ends.",
  );
}

const OLD_LOAD = `    for (const line of readFileSync(file, "utf8").split("\\n")) {
      if (line.trim() !== "") this.#remember(JSON.parse(line));
    }`;

const NEW_LOAD = `    const text = readFileSync(file, "utf8");
    const end = text.lastIndexOf("\\n") + 1;
    const unfinished = text.slice(end);
    if (unfinished !== "") {
      appendFileSync(\`\${file}.rejected\`, \`\${unfinished}\\n\`);
      this.#glue = "\\n";
    }
    for (const line of text.slice(0, end).split("\\n")) {
      if (line.trim() !== "") this.#remember(JSON.parse(line));
    }`;

const STORE_TEST = `import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { EventStore, Inventory, Log, Orders } from "../src/index.js";

const file = () => join(mkdtempSync(join(tmpdir(), "orders-")), "orders.jsonl");
const paid = (orderId) => ({ type: "paid", orderId, cents: 1 });

describe("the event store", () => {
  it("sets an unfinished last line aside and keeps it", () => {
    const path = file();
    writeFileSync(path, \`\${JSON.stringify(paid("S-1001"))}\\n{"type":"pa\`);
    assert.equal(new EventStore({ file: path }).all().length, 1);
    assert.equal(readFileSync(\`\${path}.rejected\`, "utf8"), '{"type":"pa\\n');
  });
  it("starts the next event on a line of its own, and rewrites nothing", () => {
    const path = file();
    const before = \`\${JSON.stringify(paid("S-1001"))}\\n{"type":"pa\`;
    writeFileSync(path, before);
    new EventStore({ file: path, now: () => 0 }).append(paid("S-1002"));
    const after = readFileSync(path, "utf8");
    assert.ok(after.startsWith(\`\${before}\\n\`));
    assert.equal(JSON.parse(after.trimEnd().split("\\n").at(-1)).orderId, "S-1002");
  });
  it("lets order numbers go on after a restart", () => {
    const store = new EventStore();
    store.append(paid("S-1007"));
    const orders = new Orders({ store, inventory: new Inventory([]), pay: async () => ({ ok: true }), log: new Log() });
    assert.equal(orders.nextId, "S-1008");
  });
});
`;
