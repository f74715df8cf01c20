/** The tenth column of the export, by the numbers. Run in the agent's copy of the shop. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { pathToFileURL } from "node:url";

const { COLUMNS, Cart, Catalog, ordersToCsv, quote } = await import(
  pathToFileURL(`${process.cwd()}/src/index.js`).href
);
const NINE = ["order", "state", "region", "lines", "subtotal", "discount", "shipping", "tax", "total"];

it("adds total_cents behind the nine columns", () => assert.deepEqual([...COLUMNS], [...NINE, "total_cents"]));

for (const region of ["DE", "IE"])
  it(`writes a plain integer for ${region}`, () => {
    const order = { orderId: "S-1", state: "paid", ...quote(new Cart(Catalog.fromFile()).add("B100", 3), { region }) };
    const [head, row] = ordersToCsv([order]).trimEnd().split("\n");
    assert.equal(head, [...NINE, "total_cents"].join(";"));
    assert.equal(row.split(";").length, 10);
    assert.equal(row.split(";").at(-1), String(order.totalCents));
    assert.match(row.split(";").at(-2), region === "IE" ? /^\d+\.\d\d$/ : /^\d+,\d\d$/);
  });
