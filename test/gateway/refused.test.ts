/** Of a request that its provider refuses for its key nothing is kept; of every other one, before its answer ends. */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test, vi } from "vitest";
import type { HistoryStore } from "../../src/store/index.ts";
import { createMemoryStore, openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { front, temporaryFolder } from "./support/standing.ts";
import { upstreamOf } from "./support/upstream.ts";
import { upstream } from "./transport/standing.ts";

const WINDOW_TOKENS = 8_000;
const REFUSALS = [
  [401, '{"error":{"message":"Incorrect API key provided"}}'],
  [403, '{"error":{"message":"Your key may not use this model"}}'],
  [
    400,
    '{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}',
  ],
] as const;
const BOGUS = "bogus";

/** Answers, but to keys that begin so. */
async function guarded(status: number, refusal: string): Promise<string> {
  const { url } = await upstreamOf((_, { headers }) => {
    const key = String(headers["x-api-key"] ?? headers.authorization);
    return key.includes(BOGUS) ? { status, pieces: [refusal] } : { pieces: ["{}"] };
  });
  return url;
}

async function nothingKept(store: HistoryStore): Promise<void> {
  expect(await store.holdings()).toEqual({
    sessions: 0,
    messages: 0,
    compactions: 0,
    originals: 0,
    bodies: 0,
    bytes: 0,
  });
  expect(await store.listTenants()).toEqual([]);
}

/** Compactions are made for long requests, or large results digested as they come. */
const CASES = PROTOCOLS.flatMap((protocol) => [0, 200].map((ingestLimitTokens) => ({ protocol, ingestLimitTokens })));

describe.each(REFUSALS)("a key that is refused with %i", (status, refusal) => {
  it.each(CASES)("leaves nothing on $protocol, results digested above $ingestLimitTokens", async (options) => {
    const { protocol, ingestLimitTokens } = options;
    const path = join(temporaryFolder(), "history.db");
    const store = await openSqliteStore({ path });
    const gateway = { contextLength: WINDOW_TOKENS, tenant: "per_key" as const, store, ingestLimitTokens };
    const { url, events } = await front(await guarded(status, refusal), gateway);
    const sizeOf = (): number => statSync(path).size + statSync(`${path}-wal`).size;
    const bytes = sizeOf();
    for (const at of [1, 2, 3])
      for (const steps of [3, 30]) {
        const body = bodyOf(protocol, worked("planted", steps));
        expect((await ask(url, { protocol, body, key: `${BOGUS}-${at}` })).text).toBe(refusal);
      }
    await vi.waitFor(() => expect(events.filter(({ kind }) => kind === "request")).toHaveLength(6));
    expect(events.some(({ kind }) => kind === "compaction")).toBe(ingestLimitTokens === 0);
    await nothingKept(store);
    // A look whether the store could keep a compaction rewrites one page.
    expect(sizeOf() - bytes).toBeLessThan(256 * 1024);
    await store.close();
    for (const name of readdirSync(dirname(path)))
      expect(readFileSync(join(dirname(path), name)).includes("planted")).toBe(false);
  });
});

test("a client that leaves before its provider answered leaves nothing", async () => {
  const store = createMemoryStore();
  const leaving = new AbortController();
  const silent = await upstream((request) => request.resume().once("end", () => leaving.abort()));
  const { url, events } = await front(silent.url, { store, contextLength: WINDOW_TOKENS });
  const body = bodyOf("openai-chat", worked("planted", 30));
  const headers = { "content-type": "application/json" };
  const asked = fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body, signal: leaving.signal });
  await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(events.map(({ kind }) => kind)).toEqual(["compaction", "request"]));
  await nothingKept(store);
});

describe("a request that is sent again with a key that is taken", () => {
  it.each([true, false])(
    "is compacted, kept, and goes out the same from then on; ever taken before: %s",
    async (before) => {
      const store = createMemoryStore();
      const { url } = await front(await guarded(...REFUSALS[0]), { contextLength: WINDOW_TOKENS, store });
      const call = (steps: number, key: string) =>
        ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("mine", steps)), key });
      if (before) await call(2, "good");
      expect((await call(30, BOGUS)).status).toBe(401);
      expect(await store.holdings()).toMatchObject({ messages: before ? 5 : 0, compactions: 0, originals: 0 });
      const taken = await call(30, "good");
      expect([taken.status, taken.treatment]).toEqual([200, expect.stringMatching(/^rewritten/)]);
      expect(await store.holdings()).toMatchObject({ sessions: 1, messages: 61, compactions: 1 });
      expect((await call(30, "good")).treatment).toMatch(/^rewritten; before=\d+; after=\d+$/);
    },
  );
});

test("an answer ends only when its request's compaction and messages are kept", async () => {
  const store = createMemoryStore();
  const done: string[] = [];
  const late = async <T>(name: string, work: Promise<T>): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    done.push(name);
    return work;
  };
  const slow: HistoryStore = {
    ...store,
    putOriginals: (...given) => late("originals", store.putOriginals(...given)),
    putCompaction: (...given) => late("compaction", store.putCompaction(...given)),
    appendChain: (...given) => late("messages", store.appendChain(...given)),
  };
  const { url } = await front(await guarded(...REFUSALS[0]), { contextLength: WINDOW_TOKENS, store: slow });
  const body = bodyOf("openai-chat", worked("mine", 30));
  const { treatment } = await ask(url, { protocol: "openai-chat", body });
  expect(treatment).toMatch(/fresh$/);
  expect(done).toEqual(["originals", "compaction", "messages"]);
});
