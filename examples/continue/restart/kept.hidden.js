/** An unfinished last line is still set aside and kept, and the file itself only grows. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { pathToFileURL } from "node:url";

const { EventStore } = await import(pathToFileURL(`${process.cwd()}/src/index.js`).href);

it("keeps what a crash cut off", () => {
  const file = join(mkdtempSync(join(tmpdir(), "orders-")), "orders.jsonl");
  const text = `${JSON.stringify({ type: "paid", orderId: "S-1001", cents: 1 })}\n{"type":"pa`;
  writeFileSync(file, text);
  assert.equal(new EventStore({ file }).all().length, 1);
  assert.match(readFileSync(`${file}.rejected`, "utf8"), /\{"type":"pa/);
  assert.ok(readFileSync(file, "utf8").startsWith(text));
});
