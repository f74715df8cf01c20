/** What was settled with accounting, one decision a part: `node settlement.hidden.js PART` in the agent's copy of the shop. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";

const load = (file) => import(pathToFileURL(`${process.cwd()}/src/${file}`).href);
const { Cart, Catalog, quote, refundCents } = await load("index.js");
const { settlementLines } = await load("settlement.js");

const catalog = Catalog.fromFile();
const order = (number, region, { state = "paid", sku = "B104", back = false } = {}) => {
  const priced = quote(new Cart(catalog).add(sku).add("H102"), { region });
  const refundedCents = back ? refundCents(priced, [sku, "H102"]) : 0;
  return { orderId: `S-${number}`, state, refundedCents, ...priced };
};
const ORDERS = [
  order(1001, "DE"),
  order(1002, "AT"),
  order(998, "NL"),
  order(1003, "FR"),
  order(1004, "IE"),
  order(1005, "DE", { state: "placed" }),
  order(1006, "FR", { state: "payment_failed" }),
  order(1007, "IE", { back: true }),
];
const text = settlementLines(ORDERS);
const lines = (Array.isArray(text) ? text.join("\n") : text).trimEnd().split("\n");
/** Whatever parts its fields, so that each decision is looked at by itself. */
const fields = lines.map((line) => line.split(/[\t;,]/));
const lineOf = (number) => fields.find((line) => line.includes(`S-${number}`));

const PARTS = {
  accounts: () => {
    for (const [number, account] of [
      [1001, "8400"],
      [1002, "8415"],
      [998, "8415"],
      [1003, "8412"],
      [1004, "8420"],
    ])
      assert.ok(lineOf(number).includes(account), `S-${number}`);
  },
  returned: () => assert.ok(lineOf(1007).includes("8999")),
  form: () => {
    const header = lines.findIndex((line) => line.includes("net_cents"));
    assert.equal(lines[header], ["account", "order", "net_cents", "tax_cents", "refunded_cents"].join("\t"));
    for (const line of lines.slice(header + 1)) assert.equal(line.split("\t").length, 5);
  },
  top: () => {
    assert.match(lines[0], /^#orders=\d+$/);
    assert.ok(!lines.some((line) => /total/i.test(line)));
  },
  paid: () => assert.ok(lineOf(1001) && lineOf(1007) && !lineOf(1005) && !lineOf(1006)),
  sorted: () => {
    const numbers = fields.map((line) => line.find((one) => /^S-\d+$/.test(one))).filter(Boolean);
    assert.ok(numbers.length >= 6);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => Number(a.slice(2)) - Number(b.slice(2))),
    );
  },
  /** Each test by itself, or a group above it, has the name that accounting runs. */
  named: () => {
    const { stdout, status } = spawnSync("node", ["--test", "--test-reporter=tap", "test/settlement.test.js"], {
      encoding: "utf8",
    });
    assert.equal(status, 0);
    const names = [...stdout.matchAll(/^( *)# Subtest: (.*)$/gm)].map(([, indent, name]) => ({
      depth: indent.length,
      name,
    }));
    assert.ok(names.length > 0);
    names.forEach(({ depth, name }, at) => {
      const isGroup = (names[at + 1]?.depth ?? 0) > depth;
      const groups = names
        .slice(0, at)
        .filter(
          (one, before) => one.depth < depth && !names.slice(before + 1, at).some((other) => other.depth <= one.depth),
        );
      if (!isGroup)
        assert.ok(
          [name, ...groups.map((one) => one.name)].some((one) => one.startsWith("acc: ")),
          name,
        );
    });
  },
  amounts: () => {
    for (const one of ORDERS.filter(({ state }) => state === "paid")) {
      const line = lineOf(one.orderId.slice(2));
      const at = line.indexOf(String(one.totalCents - one.taxCents));
      assert.deepEqual(
        line.slice(at, at + 3),
        [one.totalCents - one.taxCents, one.taxCents, one.refundedCents].map(String),
      );
    }
  },
};
PARTS[process.argv[2]]();
