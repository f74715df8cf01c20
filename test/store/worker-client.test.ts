/** The way to the store's thread: how much may be on it, and what happens when the thread dies. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { startWorkerClient, type WorkerClient, createReader } from "../../src/store/sqlite.ts";
import { createGate, QUEUE_LIMITS } from "../../src/store/gate.ts";
import { createRecentMap } from "../../src/store/recent-map.ts";
import { transactionBytes } from "./journal.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const folder = mkdtempSync(join(tmpdir(), "precis-client-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function stateOf(client: WorkerClient, root: string): Promise<string | undefined> {
  return (await client.call("getStates", "t", [root])).get(root);
}

describe("the store's thread", () => {
  it("is replaced at the next call after it died, and its file is sound", async () => {
    const file = { path: join(folder, "dies.db"), busyTimeoutMs: 1_000, readOnly: false };
    const client = await startWorkerClient(file, QUEUE_LIMITS);
    const put = (root: string) => client.call("putState", "t", { root, state: "1", now: 0 });
    await put("before");
    // A question that nobody knows takes the thread down.
    const fatal = client.call("unheard of" as "check", "t", undefined);
    await expect(fatal).rejects.toMatchObject({ code: "store_interrupted", retryable: true, place: file.path });
    await put("after");
    expect(await stateOf(client, "before")).toBe("1");
    expect(await client.call("check", "", undefined)).toEqual([]);
    await client.close();
  });

  it("commits together what is asked for in one go, however long it takes to ask, and with it what nobody waits for", async () => {
    const file = { path: join(folder, "together.db"), busyTimeoutMs: 1_000, readOnly: false };
    const client = await startWorkerClient(file, QUEUE_LIMITS);
    const put = (root: string) => client.call("putState", "t", { root, state: "1", now: 0 });
    const usage = { link: "l", model: "m", input: 1, output: 1, cacheRead: 0, cacheWrite: 0, at: 0 };
    await put("before");
    const log = `${file.path}-wal`;
    const before = transactionBytes(log).length;
    const noted = client.call("putUsage", "t", usage);
    await pause(5);
    const first = put("first");
    const sinceMs = performance.now();
    while (performance.now() - sinceMs < 20);
    await Promise.all([noted, first, put("second")]);
    expect(transactionBytes(log)).toHaveLength(before + 1);
    // Nothing else comes.
    await client.call("putUsage", "t", usage);
    expect(await client.call("listUsage", "t", ["l"])).toHaveLength(2);
    await client.close();
  });
});

describe("what is read at once", () => {
  const question = { name: "getStates", tenant: "t", argument: ["root"] } as const;

  it("is what was written, by whomever", async () => {
    const file = { path: join(folder, "reads.db"), busyTimeoutMs: 1_000, readOnly: false };
    const [one, other] = [await startWorkerClient(file, QUEUE_LIMITS), await startWorkerClient(file, QUEUE_LIMITS)];
    await other.call("putState", "t", { root: "root", state: "theirs", now: 0 });
    expect(await stateOf(one, "root")).toBe("theirs");
    const reader = createReader(file);
    expect(reader.answer(question)).toEqual({ answer: new Map([["root", "theirs"]]) });
    reader.close();
    await one.close();
    await other.close();
    expect(existsSync(`${file.path}-wal`)).toBe(false);
  });

  it("never overtakes a write that was begun before it", async () => {
    const file = { path: join(folder, "order.db"), busyTimeoutMs: 1_000, readOnly: false };
    const client = await startWorkerClient(file, QUEUE_LIMITS);
    const asked: Promise<unknown>[] = [];
    for (let at = 0; at < 50; at++) {
      void client.call("putState", "t", { root: "root", state: String(at), now: 0 });
      asked.push(stateOf(client, "root"));
    }
    expect(await Promise.all(asked)).toEqual(asked.map((_, at) => String(at)));
    await client.close();
  });

  it("is left to the thread where the file cannot be read here", () => {
    const reader = createReader({ path: join(folder, "nowhere", "is.db"), busyTimeoutMs: 0, readOnly: false });
    expect(reader.answer(question)).toBeUndefined();
    expect(reader.answer({ ...question, name: "check" })).toBeUndefined();
  });

  it("comes from the file that is there when the thread was replaced", async () => {
    const file = { path: join(folder, "moved.db"), busyTimeoutMs: 1_000, readOnly: false };
    const client = await startWorkerClient(file, QUEUE_LIMITS);
    await client.call("putState", "t", { root: "root", state: "old", now: 0 });
    expect(await stateOf(client, "root")).toBe("old");
    for (const end of ["", "-wal", "-shm"]) rmSync(file.path + end, { force: true });
    const putAgain = () => client.call("putState", "t", { root: "root", state: "lost", now: 0 });
    // Once by the thread, then by who would start another.
    for (const _ of [1, 2]) await expect(putAgain()).rejects.toMatchObject({ code: "store_gone" });
    await (await startWorkerClient(file, QUEUE_LIMITS)).close();
    await client.call("putState", "t", { root: "root", state: "new", now: 0 });
    expect(await stateOf(client, "root")).toBe("new");
    await client.close();
  });
});

describe("the gate", () => {
  const limits = { calls: 3, bytes: 100, waitingCalls: 2, waitMs: 20 };

  it("lets in what fits, makes the next wait, and refuses what is too much", async () => {
    const gate = createGate(limits);
    expect([gate.enter(40), gate.enter(40)]).toEqual([undefined, undefined]);
    const first = gate.enter(40);
    const second = gate.enter(1);
    expect(() => gate.enter(1)).toThrow(expect.objectContaining({ code: "store_busy", retryable: true }));
    gate.leave(40);
    await first;
    await second;
  });

  it("refuses what waited too long, and goes on with the others", async () => {
    const gate = createGate(limits);
    gate.enter(100);
    await expect(gate.enter(1)).rejects.toMatchObject({ code: "store_busy" });
    gate.leave(100);
    expect(gate.enter(100)).toBeUndefined();
  });

  it("lets a call alone through that is larger than everything", () => {
    expect(createGate(limits).enter(1_000)).toBeUndefined();
  });

  it("lets everyone in, in order, and never more than it may", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 20 }), async (sizes) => {
        const gate = createGate({ ...limits, waitingCalls: 20, waitMs: 10_000 });
        const inside: number[] = [];
        const order: number[] = [];
        await Promise.all(
          sizes.map(async (bytes, at) => {
            await gate.enter(bytes);
            order.push(at);
            inside.push(bytes);
            expect(inside.length).toBeLessThanOrEqual(limits.calls);
            if (inside.length > 1) expect(inside.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(limits.bytes);
            await Promise.resolve();
            inside.splice(inside.indexOf(bytes), 1);
            gate.leave(bytes);
          }),
        );
        expect(order).toEqual(sizes.map((_, at) => at));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("what is remembered", () => {
  it("is what was used last", () => {
    const recent = createRecentMap<number>({ entries: 2 });
    recent.set("a", 1);
    recent.set("b", 2);
    recent.get("a");
    recent.set("c", 3);
    expect(["a", "b", "c"].map(recent.get)).toEqual([1, undefined, 3]);
  });

  it("weighs no more than it may, but for one that is heavier alone", () => {
    const recent = createRecentMap<string>({ entries: 9, weight: 10 });
    for (const key of ["a", "b", "c"]) recent.set(key, key, 4);
    expect(["a", "b", "c"].map(recent.get)).toEqual([undefined, "b", "c"]);
    recent.set("heavy", "heavy", 50);
    expect(["b", "c", "heavy"].map(recent.get)).toEqual([undefined, undefined, "heavy"]);
    recent.set("light", "light", 1);
    expect(["heavy", "light"].map(recent.get)).toEqual([undefined, "light"]);
  });
});
