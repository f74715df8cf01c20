/** A process that keeps originals too large for one transaction until it is killed: `node large-writer.ts FILE`. */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../../src/store/sqlite.ts";
import { largeSpan } from "./steps.ts";

const [, , path = ""] = process.argv;
const store = await openSqliteStore({ path });
for (let at = 1; ; at++) {
  await store.putOriginals("t", [largeSpan(`r${at}`)]);
  writeSync(1, `${at}\n`);
}
