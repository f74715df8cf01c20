/** A store with a key does what every store does. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { storeContract } from "./contract.ts";

const folder = mkdtempSync(join(tmpdir(), "precis-encrypted-"));
const key = randomBytes(32);
const opened: HistoryStore[] = [];
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

storeContract("sqlite, encrypted", async (clock) => {
  const store = await openSqliteStore({ path: join(folder, `${opened.length}.db`), key, ...clock });
  opened.push(store);
  return store;
});
