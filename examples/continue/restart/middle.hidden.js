/** A broken line in the middle of the file of orders: the shop must not start, and must say which line it is. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";

const { EventStore } = await import(pathToFileURL(`${process.cwd()}/src/index.js`).href);
const paid = (orderId) => JSON.stringify({ type: "paid", orderId, cents: 1 });

it("refuses to start, names the line, and changes nothing", () => {
  const file = join(mkdtempSync(join(tmpdir(), "orders-")), "orders.jsonl");
  const text = `${paid("S-1001")}\n{"type":"pa\n${paid("S-1003")}\n`;
  writeFileSync(file, text);
  assert.throws(
    () => new EventStore({ file }),
    (error) => /\b2\b/.test(error.message),
  );
  assert.equal(readFileSync(file, "utf8"), text);
});
