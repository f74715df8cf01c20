/** Of a request that its provider does not take nothing is kept; of every other one, before its answer ends. */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test, vi } from "vitest";
import { type HistoryStore } from "../../src/store/store.ts";
import { createMemoryStore, openSqliteStore } from "../../src/store/index.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { front, temporaryFolder } from "./support/standing.ts";
import { upstreamOf, type Reply } from "./support/upstream.ts";
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
    const key = String(headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization);
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
      for (const steps of [3, ingestLimitTokens === 0 ? 30 : 12]) {
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

const STREAM = { "content-type": "text/event-stream" };
const STREAMED_ERROR = 'data: {"error":{"message":"Incorrect API key provided","code":401}}\n\n';

/** What a provider says that did not take a request, whatever the reason: its key, its credit, its model, its load. */
const NOT_TAKEN: readonly (readonly [string, Reply])[] = [
  [
    "400 for a wrong key",
    {
      status: 400,
      pieces: ['{"code":"Client specified an invalid argument","error":"Incorrect API key provided: ba***."}'],
    },
  ],
  ["302", { status: 302, pieces: ["Elsewhere."] }],
  ...[402, 404, 429, 498, 500, 503, 529].map((status): readonly [string, Reply] => [
    String(status),
    { status, pieces: ['{"error":{"message":"Not now."}}'] },
  ]),
  ["200 that is an error", { pieces: ['{"error":{"message":"Incorrect API key provided","code":401}}'] }],
  ["200 and a stream that opens with an error", { headers: STREAM, pieces: [STREAMED_ERROR] }],
];

describe("a request that is not taken", () => {
  it.each(NOT_TAKEN)("leaves nothing: %s", async (_, refusal) => {
    const { url: far } = await upstreamOf(() => refusal);
    const path = join(temporaryFolder(), "history.db");
    const store = await openSqliteStore({ path });
    const { url, events } = await front(far, { contextLength: WINDOW_TOKENS, store });
    for (const steps of [3, 30]) {
      const body = bodyOf("openai-chat", worked("planted", steps), { stream: refusal.headers === STREAM });
      const { status, text } = await ask(url, { protocol: "openai-chat", body });
      expect([status, text]).toEqual([refusal.status ?? 200, refusal.pieces.join("")]);
    }
    await vi.waitFor(() => expect(events.filter(({ kind }) => kind === "request")).toHaveLength(2));
    await nothingKept(store);
    await store.close();
    for (const name of readdirSync(dirname(path)))
      expect(readFileSync(join(dirname(path), name)).includes("planted")).toBe(false);
  });

  it.each([true, false])("is kept, with what waits, once it is; streamed: %s", async (stream) => {
    const answer = stream
      ? { headers: STREAM, pieces: ['data: {"choices":[{"delta":{"content":"Yes."}}]}\n\n', "data: [DONE]\n\n"] }
      : { pieces: ['{"choices":[{"message":{"role":"assistant","content":"Yes."}}]}'] };
    const { url: far, got } = await upstreamOf((at) => (at < 2 ? { status: 529, pieces: ["{}"] } : answer));
    const store = createMemoryStore();
    const { url, events } = await front(far, { contextLength: WINDOW_TOKENS, store });
    const body = bodyOf("openai-chat", worked("planted", 30), { stream });
    for (let time = 0; time < 3; time++) await ask(url, { protocol: "openai-chat", body });
    expect(await store.holdings()).toMatchObject({ sessions: 1, messages: 61, compactions: 1 });
    // It was compacted once, and went out the same each time.
    expect(events.filter(({ kind }) => kind === "compaction")).toHaveLength(1);
    expect(new Set(got.map(({ sha256 }) => sha256)).size).toBe(1);
  });

  it("leaves nothing of what its refusals showed of its model, though a window was named", async () => {
    const tooLong = `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 6000 tokens. However, your messages resulted in 9000 tokens."}}`;
    const { url: far, got } = await upstreamOf((at) =>
      at === 0 ? { status: 400, pieces: [tooLong] } : { status: 401, pieces: ["{}"] },
    );
    const store = createMemoryStore();
    const written: string[] = [];
    const noted: HistoryStore = {
      ...store,
      putState: (...given) => {
        written.push(given[1]);
        return store.putState(...given);
      },
    };
    const { url } = await front(far, { contextLength: 200_000, store: noted });
    const body = bodyOf("openai-chat", worked("planted", 30));
    expect((await ask(url, { protocol: "openai-chat", body })).status).toBe(401);
    expect(got).toHaveLength(2);
    expect(got[1]!.bytes).toBeLessThan(got[0]!.bytes);
    expect(written).toEqual([]);
    await nothingKept(store);
  });
});

test("a stream is kept before it ends, and its beginning does not wait for that", async () => {
  const store = createMemoryStore();
  const done: string[] = [];
  const late: HistoryStore = {
    ...store,
    appendChain: async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      done.push("kept");
      return store.appendChain(...given);
    },
  };
  const pieces = ['data: {"choices":[{"delta":{"content":"Yes."}}]}\n\n', "data: [DONE]\n\n"];
  const { url: far } = await upstreamOf(() => ({ headers: STREAM, pieces }));
  const { url } = await front(far, { store: late });
  const body = bodyOf("openai-chat", worked("mine", 3), { stream: true });
  const headers = { "content-type": "application/json" };
  const { body: answer } = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
  const reader = answer!.getReader();
  await reader.read();
  done.push("begun");
  while (!(await reader.read()).done);
  expect(done).toEqual(["begun", "kept"]);
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
  expect(done.toSorted()).toEqual(["compaction", "messages", "originals"]);
  expect(done.indexOf("originals")).toBeLessThan(done.indexOf("compaction"));
});
