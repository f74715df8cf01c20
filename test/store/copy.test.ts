/** A copy of a store holds the same, in either direction, also when it was ended on the way; and is compared row by row. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compareStores, copyStore } from "../../src/store/copy.ts";
import { openStore } from "../../src/store/open.ts";
import { precisHere } from "../cli/precis.ts";
import { compaction, talk } from "./contract/things.ts";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "./postgres-server.ts";

const folder = mkdtempSync(join(tmpdir(), "precis-copy-"));
let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);
afterAll(() => rmSync(folder, { recursive: true }));

/** Sessions with branches, an undone compaction, a masked original, usage and states, over three months. */
async function fill(address: string, { sessions = 30, key }: { sessions?: number; key?: Uint8Array } = {}) {
  let time = Date.UTC(2026, 8, 28);
  const store = await openStore(address, { now: () => time, ...(key === undefined ? {} : { key }) });
  for (let n = 0; n < sessions; n++) {
    time += 3_600_000 * 53;
    const one = talk(`question ${n}`, "the same answer", `more of ${n}`, `odd \ud800 ${n}`);
    await store.appendChain("local", { ...one, ...(n % 3 === 0 ? { session: `named ${n}` } : {}) });
    await store.appendChain("local", talk(`question ${n}`, "the same answer", `branch of ${n}`));
    await store.appendChain("other", talk(`question ${n}`));
    await store.putCompaction("local", compaction(one.links[1]!, 2, [`r${n}`]));
    if (n % 5 === 0) await store.undoCompaction("local", one.links[1]!);
    const spanned = one.messages.map(({ role, parts }) => JSON.stringify({ role, parts })).join("\n");
    await store.putOriginals("local", [
      { id: `r${n}`, kind: "span", label: "messages 1 to 4", text: spanned },
      { id: `m${n}`, kind: "result", label: "read", text: `masked ${n}`, masked: true },
    ]);
    await store.putUsage("local", { link: one.links[1]!, model: "m", input: n, output: 1, cacheRead: 0, cacheWrite: 0, at: time }); // prettier-ignore
    await store.putState("local", one.links[0]!, { n });
  }
  await store.close();
  return address;
}

describe("a copy of a file", () => {
  it("holds the same, and is not overwritten by another", async () => {
    const [from, to, elsewhere] = [await fill(newFile()), newFile(), await fill(newFile(), { sessions: 1 })];
    expect(await copyStore({ from: { address: from }, to: { address: to } })).toMatchObject({ messages: 180, originals: 60 }); // prettier-ignore
    expect(await compareStores({ address: from }, { address: to })).toEqual([]);
    for (const [source, target] of [[from, to], [elsewhere, to], [from, elsewhere]] as const) // prettier-ignore
      await expect(copyStore({ from: { address: source }, to: { address: target } })).rejects.toMatchObject({ code: "copy_target_used" }); // prettier-ignore
    const store = await openStore(to);
    expect(await store.check()).toEqual([]);
    expect(await store.appendChain("local", talk("afterwards"))).toMatchObject({ added: 1 });
    expect(await store.searchMessages("local", "question 7", 9)).not.toEqual([]);
    await store.close();
    expect(await compareStores({ address: from }, { address: to })).not.toEqual([]);
  });

  it("may have a key where the file has none, and another one", async () => {
    const [key, other] = [randomBytes(32), randomBytes(32)];
    const [plain, locked, again] = [await fill(newFile(), { sessions: 3 }), newFile(), newFile()];
    await copyStore({ from: { address: plain }, to: { address: locked, key } });
    await copyStore({ from: { address: locked, key }, to: { address: again, key: other } });
    expect(await compareStores({ address: plain }, { address: again, key: other })).toEqual([]);
    await expect(openStore(again, { key })).rejects.toMatchObject({ code: "store_key_wrong" });
  });

  it("is made and compared by commands", async () => {
    const [from, to] = [await fill(newFile(), { sessions: 2 }), newFile()];
    const copied = await precisHere(["store", "copy", from, to, "--json"]);
    expect(JSON.parse(copied.out)).toMatchObject({ copied: { messages: 12, tenants: 2 } });
    expect((await precisHere(["store", "verify", from, to])).out).toContain("both stores hold the same");
    const store = await openStore(to);
    await store.appendChain("local", talk("more"));
    await store.close();
    const differs = await precisHere(["store", "verify", from, to]);
    expect([differs.code, differs.out]).toEqual([1, expect.stringContaining("messages")]);
    expect((await precisHere(["store", "copy", from])).code).toBe(2);
    expect((await precisHere(["store", "copy", join(folder, "none.db"), newFile()])).err).toContain("no store at");
    expect((await precisHere(["store", "copy", from, "memory"])).err).toContain("memory");
  });
});

describe.skipIf(NO_POSTGRES !== undefined)("a copy between a file and PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  it("holds the same there and back, in the months of its conversations", async () => {
    const [from, there, back] = [await fill(newFile()), await server.newSchema(), newFile()];
    await copyStore({ from: { address: from }, to: { address: there } });
    expect(await compareStores({ address: from }, { address: there })).toEqual([]);
    await copyStore({ from: { address: there }, to: { address: back } });
    expect(await compareStores({ address: from }, { address: back })).toEqual([]);
    expect(await server.sql("select distinct period from links order by 1", there)).toEqual([
      { period: 202609 },
      { period: 202610 },
      { period: 202611 },
      { period: 202612 },
    ]);
    const store = await openStore(there);
    expect(await store.check()).toEqual([]);
    expect(await store.appendChain("local", talk("afterwards"))).toMatchObject({ added: 1 });
    expect(await store.putUsage("local", { link: "x", model: "m", input: 1, output: 1, cacheRead: 0, cacheWrite: 0, at: 1 })).toBeUndefined(); // prettier-ignore
    await store.close();
  });
});
