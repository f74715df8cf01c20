import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createMemoryStore } from "../../src/store/memory.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { storeContract } from "./contract.ts";
import { talk } from "./contract/things.ts";
import { transactionBytes } from "./journal.ts";

const folder = mkdtempSync(join(tmpdir(), "precis-store-"));
const opened: HistoryStore[] = [];
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

storeContract("sqlite", async (clock) => {
  const store = await openSqliteStore({ path: join(folder, `${opened.length}.db`), ...clock });
  opened.push(store);
  return store;
});

it("keeps a long conversation in pieces as it is kept at once, and goes on from what is kept already", async () => {
  const path = join(folder, "pieces.db");
  const store = await openSqliteStore({ path });
  opened.push(store);
  const whole = createMemoryStore();
  const { links, messages } = talk(...Array.from({ length: 1_801 }, (_, at) => `message ${at}`));
  for (const count of [1_000, 1_801]) {
    const before = transactionBytes(`${path}-wal`).length;
    const chain = { links: links.slice(0, count), messages: messages.slice(0, count) };
    const [kept, expected] = [await store.appendChain("t", chain), await whole.appendChain("t", chain)];
    expect(kept).toEqual(expected);
    expect(transactionBytes(`${path}-wal`).length - before).toBe(3);
    expect(await store.readChain("t", links[count - 1]!)).toEqual(await whole.readChain("t", links[count - 1]!));
    expect(await store.listSessions("t", { limit: 10 })).toHaveLength(1);
  }
});
