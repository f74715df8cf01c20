/** A chain that is handed over before it is to be kept. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createMemoryStore, openSqliteStore } from "../../src/store/index.ts";
import { maskedStore } from "../../src/store/masked.ts";
import { talk } from "./contract/things.ts";

const TENANT = "t";

async function open() {
  const folder = mkdtempSync(join(tmpdir(), "precis-prepared-"));
  const store = await openSqliteStore({ path: join(folder, "history.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { ...store, prepareChain: store.prepareChain! };
}

it("is kept when that is said and not before, as one that is appended at once", async () => {
  const [store, whole] = [await open(), createMemoryStore()];
  const [shorter, longer] = [talk("a", "b"), talk("a", "b", "c")];
  for (const chain of [shorter, longer, longer]) {
    const before = await store.holdings();
    const keep = store.prepareChain(TENANT, chain);
    store.prepareChain(TENANT, talk("never", "kept"));
    expect(await store.check()).toEqual([]);
    expect(await store.holdings()).toEqual(before);
    const [kept, appended] = [await keep(), await whole.appendChain(TENANT, chain)];
    expect(kept.added).toBe(appended.added);
    const link = chain.links.at(-1)!;
    expect(await store.readChain(TENANT, link)).toEqual(await whole.readChain(TENANT, link));
  }
  expect(await store.listSessions(TENANT, { limit: 10 })).toHaveLength(1);
});

it("is kept however many others were handed over since, and in whatever order that is said", async () => {
  const store = await open();
  const chains = Array.from({ length: 200 }, (_, at) => talk(`first ${at}`, `second ${at}`));
  const keeps = chains.map((chain) => store.prepareChain(TENANT, chain));
  await Promise.all(keeps.toReversed().map((keep) => keep()));
  for (const { links } of chains) expect(await store.isStored(TENANT, links.at(-1)!)).toBe(true);
  expect(await store.check()).toEqual([]);
});

it("is kept whole where what it stands on was deleted meanwhile", async () => {
  const store = await open();
  await store.appendChain(TENANT, talk("a", "b"));
  const longer = talk("a", "b", "c");
  const keep = store.prepareChain(TENANT, longer);
  await store.retain({ maxBytes: 0 });
  await keep();
  expect(await store.readChain(TENANT, longer.links.at(-1)!)).toHaveLength(3);
});

it("is masked like any other", async () => {
  const store = await open();
  const secret = "the phrase is swordfish";
  const redact = (text: string): string => text.replaceAll("swordfish", "***");
  const chain = talk(secret);
  await maskedStore(store, redact).prepareChain!(TENANT, chain)();
  expect(JSON.stringify(await store.readChain(TENANT, chain.links[0]!))).not.toContain("swordfish");
});

it("is refused once the store is closed", async () => {
  const store = await open();
  const keep = store.prepareChain(TENANT, talk("a"));
  await store.close();
  await expect(keep()).rejects.toMatchObject({ code: "store_closed" });
});
