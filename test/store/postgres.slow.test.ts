/** The store in a real PostgreSQL server: the contract of stores, and what several gateways and a lost server bring about. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keeping } from "../../src/cli/store/place.ts";
import type { Terminal } from "../../src/cli/screen/terminal.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { openStore } from "../../src/store/open.ts";
import { openPostgresStore, type PostgresOptions } from "../../src/store/postgres.ts";
import { MIGRATIONS } from "../../src/store/postgres/migrations.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { precisHere } from "../cli/precis.ts";
import { storeContract } from "./contract.ts";
import { compaction, talk } from "./contract/things.ts";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "./postgres-server.ts";

const DAY_MS = 86_400_000;

/** Stands between a store and its server, and counts how often the store asks once an answer has come. */
async function countAnswersWaitedFor(port: number) {
  let waits = 0;
  const between = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isAnswered = true;
    client.on("data", (asked) => {
      if (isAnswered) waits++;
      isAnswered = false;
      upstream.write(asked);
    });
    upstream.on("data", (answer) => {
      isAnswered = true;
      client.write(answer);
    });
    client.on("close", () => upstream.destroy()).on("error", () => undefined);
    upstream.on("close", () => client.destroy()).on("error", () => undefined);
  });
  await once(between.listen(0, "127.0.0.1"), "listening");
  return { port: (between.address() as AddressInfo).port, waits: () => waits, close: () => between.close() };
}

describe.skipIf(NO_POSTGRES !== undefined)(`PostgreSQL${NO_POSTGRES === undefined ? "" : ` (${NO_POSTGRES})`}`, () => {
  let server: TestPostgres;
  const opened: HistoryStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await server.close();
  });
  const open = async (options: PostgresOptions): Promise<HistoryStore> => {
    const store = await openPostgresStore({ connections: 3, ...options });
    opened.push(store);
    return store;
  };

  storeContract("postgres", async (clock) => open({ url: await server.newSchema(), ...clock }));

  describe("several gateways", () => {
    it("bring a new database to the schema once, whoever comes first", async () => {
      const url = await server.newSchema();
      const stores = await Promise.all([1, 2, 3, 4].map(() => open({ url })));
      await stores[0]!.appendChain("t", talk("a"));
      expect(await Promise.all(stores.map((store) => store.holdings()))).toMatchObject(
        stores.map(() => ({ sessions: 1, messages: 1 })),
      );
      expect(await server.sql("select position from migrations", url)).toHaveLength(MIGRATIONS.length);
    });

    it("keep one conversation once, however they take turns and at the same time", async () => {
      const url = await server.newSchema();
      const stores = await Promise.all([1, 2, 3].map(() => open({ url })));
      const words = Array.from({ length: 60 }, (_, at) => `message ${at}`);
      for (let turn = 3; turn <= words.length; turn += 3) {
        const chain = talk(...words.slice(0, turn));
        await Promise.all(stores.map((store) => store.appendChain("t", chain)));
      }
      const { links } = talk(...words);
      for (const store of stores) {
        expect(await store.readLinks("t", links.at(-1)!)).toEqual(links);
        expect(await store.holdings()).toMatchObject({ sessions: 1, messages: 60, bodies: 60 });
        expect(await store.check()).toEqual([]);
      }
    });

    it("agree on the first of several compactions, and on what was undone", async () => {
      const url = await server.newSchema();
      const stores = await Promise.all([1, 2, 3].map(() => open({ url })));
      const made = await Promise.all(
        stores.map((store, at) => store.putCompaction("t", { ...compaction("b", 2), state: `made by ${at}` })),
      );
      expect(new Set(made.map(({ state }) => state)).size).toBe(1);
      await stores[2]!.undoCompaction("t", "b");
      expect(await stores[0]!.findCompaction("t", ["a", "b"])).toEqual({ undone: true });
    });

    it("find a compaction among those of a thousand conversations that begin with the same message", async () => {
      const url = await server.newSchema();
      const store = await open({ url });
      await store.putCompaction("t", { ...compaction("b", 2), state: "ours" }, "a");
      const many = `insert into records (tenant, link, root, schema_version, generation, record, created_at, used_at)
        select tenant, 'other ' || place, root, schema_version, generation, record, created_at, used_at
        from records, generate_series(1, 1100) as place`;
      await server.sql(many, url);
      expect((await store.findCompaction("t", ["a", "b", "c"])).compaction).toMatchObject({ state: "ours" });
      expect(await store.findCompaction("t", ["a", "x"])).toEqual({ undone: false });
    });

    it("store new conversations while another deletes old ones", async () => {
      const url = await server.newSchema();
      let time = 1_000;
      const [writer, deleter] = [await open({ url, now: () => time }), await open({ url, now: () => time })];
      for (let n = 0; n < 30; n++) await writer.appendChain("t", talk(`old ${n}`, "shared"));
      time = 40 * DAY_MS;
      const appending = Array.from({ length: 30 }, (_, n) => writer.appendChain("t", talk(`new ${n}`, "shared")));
      await Promise.all([...appending, deleter.retain({ before: DAY_MS })]);
      expect(await deleter.holdings()).toMatchObject({ sessions: 30, messages: 60, bodies: 31 });
      expect(await deleter.check()).toEqual([]);
    });
  });

  describe("months", () => {
    const tables = async (url: string) =>
      (await server.sql("select relname from pg_class where relname ~ '^(links|bodies)_[0-9]+$' and relnamespace = current_schema()::regnamespace order by 1", url)).map(({ relname }) => relname); // prettier-ignore

    it("go as a whole when nobody used their conversations since", async () => {
      const url = await server.newSchema();
      let time = Date.UTC(2026, 0, 20);
      const store = await open({ url, now: () => time });
      const old = talk("january", "answer");
      await store.appendChain("t", { ...old, session: "old" });
      await store.putCompaction("t", compaction(old.links[1]!, 2, ["r1"]));
      await store.putOriginals("t", [{ id: "r1", kind: "result", label: "x", text: "a result of january" }]);
      await store.putState("t", old.links[0]!, { seen: 1 });
      time = Date.UTC(2026, 1, 20);
      await store.appendChain("t", talk("february"));
      expect(await tables(url)).toEqual(["bodies_202601", "bodies_202602", "links_202601", "links_202602"]);
      const left = await store.retain({ before: Date.UTC(2026, 1, 10) });
      expect(left).toMatchObject({ sessions: 1, messages: 1, compactions: 0, originals: 0, bodies: 1 });
      await store.retain({ before: Date.UTC(2026, 1, 10) });
      expect(await tables(url)).toEqual(["bodies_202602", "links_202602"]);
      expect(await store.getState("t", old.links[0]!)).toBeUndefined();
      expect(await store.appendChain("t", { ...old, session: "old" })).toEqual({ added: 2, session: "old" });
    });

    it("stay while a conversation that began in them goes on", async () => {
      const url = await server.newSchema();
      let time = Date.UTC(2026, 0, 20);
      const store = await open({ url, now: () => time });
      await store.appendChain("t", talk("january", "answer"));
      await store.appendChain("t", talk("another", "answer"));
      time = Date.UTC(2026, 2, 20);
      const longer = talk("january", "answer", "march");
      await store.appendChain("t", longer);
      expect(await store.retain({ before: Date.UTC(2026, 2, 1) })).toMatchObject({ sessions: 1, messages: 3 });
      expect(await store.readChain("t", longer.links[2]!)).toHaveLength(3);
      expect(await store.check()).toEqual([]);
    });
  });

  describe("a server", () => {
    it("that is lost and comes back loses nothing that was acknowledged", async () => {
      const url = await server.newSchema();
      const store = await open({ url, connectTimeoutMs: 8_000 });
      const words = ["a", "b", "c", "d", "e", "f"];
      await store.appendChain("t", talk(...words.slice(0, 3)));
      await server.kill();
      const meanwhile = store.appendChain("t", talk(...words.slice(0, 4)));
      await server.start();
      expect(await meanwhile).toMatchObject({ added: 1 });
      expect(await store.appendChain("t", talk(...words))).toMatchObject({ added: 2 });
      expect(await store.readLinks("t", talk(...words).links.at(-1)!)).toHaveLength(6);
    });

    it("is waited for four times by a turn of a conversation that goes on", async () => {
      const url = new URL(await server.newSchema());
      const between = await countAnswersWaitedFor(Number(url.port));
      url.port = String(between.port);
      const store = await openPostgresStore({ url: url.href, connections: 1 });
      try {
        const words = ["a", "b", "c", "d", "e", "f", "g", "h"];
        // Statements are prepared then, and the tenant is known.
        for (const turn of [2, 4]) await store.appendChain("t", talk(...words.slice(0, turn)));
        await store.getState("t", "a");
        await store.appendChain("t", talk(...words.slice(0, 6)));
        const before = between.waits();
        expect(await store.appendChain("t", talk(...words))).toMatchObject({ added: 2 });
        expect(between.waits() - before).toBe(4);
      } finally {
        await store.close();
        between.close();
      }
    });

    it("that stays away is waited for once, by all calls together, and used again once it is back", async () => {
      const url = await server.newSchema();
      const store = await open({ url, connectTimeoutMs: 1_000 });
      await store.putState("t", "root", 1);
      const took = async (work: Promise<unknown>): Promise<number> => {
        const since = performance.now();
        await expect(work).rejects.toMatchObject({ code: "store_unreachable", retryable: true });
        return performance.now() - since;
      };
      await server.kill();
      expect(await took(store.getState("t", "root"))).toBeGreaterThan(500);
      for (let n = 0; n < 3; n++) expect(await took(store.getState("t", "root"))).toBeLessThan(300);
      await server.start();
      await expect.poll(() => store.getState("t", "root").catch(() => "away"), { timeout: 5_000 }).toBe(1);
    });

    it("that cannot be reached is an error to try again, with its address and without a password", async () => {
      const url = "postgres://me:secret@127.0.0.1:1/none";
      const refused = openPostgresStore({ url, connectTimeoutMs: 300 });
      await expect(refused).rejects.toMatchObject({ code: "store_unreachable", retryable: true });
      await expect(refused).rejects.toMatchObject({ place: "postgres://me@127.0.0.1:1/none" });
    });

    it("that takes too long for a statement is asked no longer, but for upkeep", async () => {
      const url = await server.newSchema();
      const store = await open({ url, statementTimeoutMs: 300 });
      await store.appendChain("t", talk("a"));
      const locked = server.sql("begin; lock table links, sessions; select pg_sleep(1.5); commit", url);
      await new Promise((done) => setTimeout(done, 300));
      await expect(store.holdings()).rejects.toMatchObject({ code: "store_timeout", retryable: true });
      await store.vacuum();
      await locked;
      expect(await store.check()).toEqual([]);
    });

    it("that has no such database says so", async () => {
      const url = (await server.newSchema()).replace(/\/postgres\?.*/, "/nothing_here");
      await expect(openPostgresStore({ url })).rejects.toMatchObject({ code: "store_refused", retryable: false });
    });

    it("is read without being changed where it is opened so", async () => {
      const url = await server.newSchema();
      await expect(openPostgresStore({ url, readOnly: true })).rejects.toMatchObject({ code: "store_older" });
      await (await open({ url })).appendChain("t", talk("a"));
      const reading = await open({ url, readOnly: true });
      expect(await reading.holdings()).toMatchObject({ messages: 1 });
      await expect(reading.appendChain("t", talk("b"))).rejects.toMatchObject({ code: "store_read_only" });
      await expect(reading.checkWritable()).rejects.toMatchObject({ code: "store_read_only" });
    });

    it("that a newer version has upgraded is used where that version allows it", async () => {
      const url = await server.newSchema();
      await (await open({ url })).appendChain("t", talk("a"));
      const next = MIGRATIONS.length + 1;
      await server.sql(`insert into migrations values (${next}, 'later', ${MIGRATIONS.length}, 0)`, url);
      expect(await (await open({ url })).holdings()).toMatchObject({ messages: 1 });
      await server.sql(`update migrations set compatible_with = ${next} where position = ${next}`, url);
      await expect(openPostgresStore({ url })).rejects.toMatchObject({ code: "store_newer" });
    });

    it("never sees what is encrypted, and is searched all the same", async () => {
      const url = await server.newSchema();
      const key = randomBytes(32);
      const store = await open({ url, key });
      await store.appendChain("t", talk("the treasure is under the oak", "understood"));
      await store.putOriginals("t", [{ id: "r1", kind: "result", label: "read treasure.txt", text: "gold" }]);
      expect(await store.searchMessages("t", "treasure", 9)).toMatchObject([{ position: 0 }]);
      const dump = JSON.stringify(
        await server.sql("select encode(content, 'escape') as content, words from bodies", url),
      );
      const labels = JSON.stringify(await server.sql("select label from originals", url));
      expect(dump + labels).not.toMatch(/treasure|gold|oak/);
      expect(dump.length).toBeGreaterThan(100);
      await expect(openPostgresStore({ url })).rejects.toMatchObject({ code: "store_encrypted" });
      await expect(openPostgresStore({ url, key: randomBytes(32) })).rejects.toMatchObject({ code: "store_key_wrong" });
    });

    it("keeps texts with more words than its index takes, with NUL and with lone surrogates", async () => {
      const store = await open({ url: await server.newSchema() });
      const many = Array.from({ length: 90_000 }, (_, at) => `word${at.toString(36)}`).join(" ");
      const odd = "before\0after \ud800 alone";
      const { links, messages } = talk(many, odd);
      await store.appendChain("t", { links, messages, session: "na\0me" });
      expect((await store.readChain("t", links[1]!)).map(({ body }) => JSON.parse(body).parts[0].text)).toEqual([many, odd]); // prettier-ignore
      expect(await store.searchMessages("t", "word1abc word1xaa", 9)).toMatchObject([{ position: 0 }]);
      expect(await store.searchMessages("t", "wordthatisnotthere", 9)).toEqual([]);
    });
  });

  it("is kept without a limit of its size, which its own administrator looks after", async () => {
    const url = await server.newSchema();
    const store = await open({ url });
    const loaded = await loadConfiguration({ environment: {}, folder: tmpdir(), platform: "linux" });
    const terminal = { environment: {}, folder: tmpdir(), platform: "linux" } as Terminal;
    const kept = await keeping({ store, path: undefined, shown: url }, loaded, terminal);
    expect(kept.retention).toEqual({ unusedMs: 30 * DAY_MS, notBefore: 0 });
    expect(kept.first).toContain(`Conversations are kept in ${url}`);
    expect((await keeping({ store, path: undefined, shown: url }, loaded, terminal)).first).toBeUndefined();
    const inMemory = await keeping({ store, path: undefined, shown: "memory" }, loaded, terminal);
    expect(inMemory.retention).toEqual({ unusedMs: 30 * DAY_MS, bytesMax: 256 * 1024 * 1024 });
  });

  describe("an address", () => {
    it("opens it at every door, and is shown without what is secret", async () => {
      const url = await server.newSchema();
      const store = await openStore(url);
      await store.appendChain("local", talk("hello there", "hi"));
      await store.close();
      const stats = await precisHere(["store", "check", "--quick", "--store", url, "--json"]);
      expect(JSON.parse(stats.out)).toMatchObject({ sessions: 1, messages: 2 });
      expect((await precisHere(["store", "check", "--store", url])).out).toContain("no damage found");
      expect((await precisHere(["store", "retain", "--vacuum", "--store", url])).code).toBe(0);
      expect((await precisHere(["sessions", "--store", url])).out).toContain("hello there");
      expect((await precisHere(["recall", "hello", "--store", url])).out).toContain("hello there");
      const withPassword = await precisHere(["sessions", "--store", "postgres://me:secret@localhost/precis"]);
      expect([withPassword.code, withPassword.err]).toEqual([2, expect.stringContaining("PGPASSWORD")]);
      expect(withPassword.err).not.toContain("secret");
      const configured = await precisHere(["config", "check", "--set", "gateway.store=postgres://me:secret@localhost/precis"]); // prettier-ignore
      expect([configured.code, configured.err]).toEqual([2, expect.stringContaining("without a password")]);
    });
  });
});
