/** A gateway's store does not grow for ever: what is unused goes, and the longest unused before it is full. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGateway } from "../../src/gateway/index.ts";
import { type GatewayEvent } from "../../src/gateway/contract.ts";
import { createKeeper, RETENTION_LIMITS, type RetentionTaskOptions } from "../../src/gateway/operation/retention.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { HistoryStore } from "../../src/store/store.ts";
import { talk } from "../store/contract/things.ts";
import { atEnd, temporaryFolder } from "./support/standing.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

let time = 0;
async function fill(store: HistoryStore, sessions: number, letters: number): Promise<void> {
  for (let n = 0; n < sessions; n++) {
    time += 1;
    await store.appendChain("t", talk(`question ${n} of ${time}`, `${n} `.repeat(letters / 3)));
  }
}
function keeperOf(store: HistoryStore, options: Partial<RetentionTaskOptions>) {
  const events: GatewayEvent[] = [];
  const keeper = createKeeper({ store, now: () => time, onEvent: (event) => void events.push(event), ...options });
  atEnd(keeper.close);
  return { look: keeper.look, events };
}
async function file(sizeBytesMax?: number): Promise<HistoryStore> {
  const bound = sizeBytesMax === undefined ? {} : { sizeBytesMax };
  const store = await openSqliteStore({ path: join(temporaryFolder(), "h.db"), now: () => time, ...bound });
  atEnd(store.close);
  return store;
}
const memory = async (): Promise<HistoryStore> => createMemoryStore({ now: () => time });

describe.each([
  ["in memory", memory],
  ["in a file", file],
])("a store %s", (_, open) => {
  it("loses what was not used for so long, and says so", async () => {
    const store = await open();
    time = 0;
    await fill(store, 3, 30);
    time = 20 * DAY_MS;
    await fill(store, 1, 30);
    const { look, events } = keeperOf(store, { unusedMs: 30 * DAY_MS });
    await look();
    expect((await store.holdings()).sessions).toBe(4);
    time = 40 * DAY_MS;
    await look();
    expect((await store.holdings()).sessions).toBe(1);
    expect(events).toEqual([expect.objectContaining({ kind: "notice", code: "retention", message: expect.stringContaining("3 sessions") as string })]); // prettier-ignore
  });

  it("loses what belongs to no conversation before any that does, and leaves what was only just put there", async () => {
    const store = await open();
    time = 0;
    await fill(store, 3, 20_000);
    const guest = (n: number) => ({ id: `r${String(n).padStart(16, "0")}`, kind: "text", label: "", text: `${n} `.repeat(20_000) }) as const; // prettier-ignore
    for (let n = 0; n < 20; n++) await store.putOriginals(`guest-${n}`, [guest(n)]);
    time = RETENTION_LIMITS.looseMs * 2;
    await store.putOriginals("t", [guest(99)]);
    const bytesMax = Math.floor((await store.size()) / 0.95);
    const { look } = keeperOf(store, { bytesMax });
    await look();
    const { sessions, originals } = await store.holdings();
    expect(sessions).toBe(3);
    expect(originals).toBeLessThan(21);
    expect(await store.getOriginal("t", guest(99).id)).toBeDefined();
  });

  it("loses the longest unused when it is nearly full, and no more than that takes", async () => {
    const store = await open();
    await fill(store, 60, 20_000);
    const bytesMax = Math.floor((await store.size()) / 0.95);
    const { look } = keeperOf(store, { bytesMax });
    await look();
    expect(await store.size()).toBeLessThanOrEqual(bytesMax * RETENTION_LIMITS.endAt);
    expect(await store.size()).toBeGreaterThan(bytesMax * 0.6);
    expect(await store.searchMessages("t", "question 59", 1, { literally: true })).toHaveLength(1);
    expect(await store.searchMessages("t", "question 0", 1, { literally: true })).toEqual([]);
    const { sessions } = await store.holdings();
    await look();
    expect((await store.holdings()).sessions).toBe(sessions);
  });

  it("loses nothing before its owner had time to hear of it, nor where nothing is bounded", async () => {
    const store = await open();
    time = 0;
    await fill(store, 3, 3_000);
    time = 90 * DAY_MS;
    const notBefore = time + 7 * DAY_MS;
    const bounds = { unusedMs: 30 * DAY_MS, bytesMax: 1_000 };
    await keeperOf(store, { ...bounds, notBefore }).look();
    await keeperOf(store, {}).look();
    expect((await store.holdings()).sessions).toBe(3);
    time = notBefore;
    await keeperOf(store, { ...bounds, notBefore }).look();
    expect((await store.holdings()).sessions).toBe(0);
  });

  it("that fails stops nobody", async () => {
    const store = await open();
    await store.close();
    await keeperOf(store, { unusedMs: 1, bytesMax: 1 }).look();
  });
});

it("memory that is nearly full is cleared in time that grows with what it holds", async () => {
  const spent = async (sessions: number): Promise<number> => {
    const store = await memory();
    await fill(store, sessions, 9_000);
    const { look } = keeperOf(store, { bytesMax: Math.floor((await store.size()) / 0.95) });
    const before = process.cpuUsage();
    await look();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await spent(100);
  const [few, many] = [await spent(300), await spent(1_200)];
  expect(many / few).toBeLessThan(9);
});

it("a bounded file takes what comes, however much that is", async () => {
  const bytesMax = 2_000_000;
  const store = await file(bytesMax);
  const { look } = keeperOf(store, { bytesMax });
  for (let round = 0; round < 20; round++) {
    await fill(store, 10, 20_000);
    await look();
  }
  expect(await store.size()).toBeLessThanOrEqual(bytesMax);
  expect((await store.holdings()).sessions).toBeGreaterThan(3);
});

it("a gateway looks at a store of its own, and at one that it was given only where it is told to", async () => {
  const old = createMemoryStore({ now: () => 0 });
  await old.appendChain("t", talk("long ago"));
  const given = createGateway({ store: old });
  await (await given.listen()).close();
  await given.close();
  expect((await old.holdings()).sessions).toBe(1);
  const told = createGateway({ store: old, retention: { unusedMs: DAY_MS } });
  await (await told.listen()).close();
  await told.close();
  expect((await old.holdings()).sessions).toBe(0);
});
