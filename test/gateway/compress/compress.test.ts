/** The two routes that LiteLLM's guardrail calls: rows in, as many rows out, and what a marker stands for. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/store/memory.ts";
import { talk } from "../../store/contract/things.ts";
import { front, stand, type Standing } from "../support/standing.ts";

const WINDOW_TOKENS = 16_000;
const ROWS = 60;

interface Row {
  readonly role: string;
  readonly content: unknown;
}
interface Compressed {
  readonly messages: readonly Row[];
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly compression_ratio: number;
  readonly ccr_hashes: readonly string[];
}

const text = (row: number): string =>
  `Fact ${row}: the depot is called Depot-${row * 7919}.\n` +
  Array.from({ length: 40 }, (_, line) => `row ${row}.${line}: order ${row * 97 + line} shipped`).join("\n");
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, row) => ({ role: "user", content: text(row) }));

const gateway = () => front("http://127.0.0.1:9", { contextLength: WINDOW_TOKENS });
const headers = { "content-type": "application/json" };
const send = (url: string, body: unknown) =>
  fetch(`${url}/v1/compress`, { method: "POST", headers, body: JSON.stringify(body) });
const compress = async ({ url }: Pick<Standing, "url">, messages: readonly Row[]): Promise<Compressed> => {
  const response = await send(url, { messages, model: "gpt-5.4" });
  expect(response.status).toBe(200);
  return (await response.json()) as Compressed;
};

describe("POST /v1/compress", () => {
  it("leaves a conversation that fits as it is", async () => {
    const proof = await gateway();
    const given = rows(4);
    expect(await compress(proof, given)).toMatchObject({ messages: given, compression_ratio: 1, ccr_hashes: [] });
  });

  it("answers with as many rows, within half of the window, each marker with its hash", async () => {
    const proof = await gateway();
    const given = rows(ROWS);
    const answer = await compress(proof, given);
    expect(answer.messages.map(({ role }) => role)).toEqual(given.map(({ role }) => role));
    expect(answer.messages.at(-1)).toEqual(given.at(-1));
    expect(answer.tokens_before).toBeGreaterThan(WINDOW_TOKENS);
    expect(answer.tokens_after).toBeLessThanOrEqual(WINDOW_TOKENS / 2);
    expect(answer.compression_ratio).toBeCloseTo(answer.tokens_after / answer.tokens_before);
    const shown = JSON.stringify(answer.messages).match(/hash=[0-9a-f]+/g)!;
    expect(shown.map((marker) => marker.slice("hash=".length)).toSorted()).toEqual([...answer.ccr_hashes].toSorted());
    expect(answer.ccr_hashes.every((hash) => /^[0-9a-f]{24}$/.test(hash))).toBe(true);
  });

  it("keeps the beginning of a conversation that grows, except where it shortens again", async () => {
    const proof = await gateway();
    let before: readonly Row[] = [];
    let changed = 0;
    for (let count = 1; count <= ROWS; count++) {
      const { messages } = await compress(proof, rows(count));
      if (JSON.stringify(messages.slice(0, -1)) !== JSON.stringify(before)) changed++;
      before = messages;
    }
    expect(changed).toBeGreaterThan(1);
    expect(changed).toBeLessThan(ROWS / 4);
  });

  it("changes only the texts of a list of parts", async () => {
    const proof = await gateway();
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    const given = rows(ROWS).map((row) => ({ ...row, content: [{ type: "text", text: row.content }, image] }));
    const { messages } = await compress(proof, given);
    expect(messages[0]!.content).toEqual([{ type: "text", text: expect.stringContaining("hash=") }, image]);
  });

  it.each([["observe"], ["off"]] as const)("changes nothing in mode %s", async (mode) => {
    const proof = await front("http://127.0.0.1:9", { contextLength: WINDOW_TOKENS, mode });
    const given = rows(ROWS);
    expect((await compress(proof, given)).messages).toEqual(given);
  });

  it.each([[{}], [{ messages: "no" }], [{ messages: [1] }]])("refuses %j", async (body) => {
    const { url } = await gateway();
    const response = await send(url, body);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("body_without_messages")]);
  });

  it("reaches no provider", async () => {
    const proof = await stand({ gateway: { contextLength: WINDOW_TOKENS } });
    await compress(proof, rows(ROWS));
    expect(proof.provider.requests).toEqual([]);
    expect(proof.events.at(-1)).toMatchObject({
      kind: "request",
      outcome: "answered",
      treatment: { kind: "rewritten" },
    });
  });
});

describe("keys that somebody invents", () => {
  const ask = async (url: string, key: string, messages: readonly Row[], route = "compress") => {
    const sent = { method: "POST", headers: { ...headers, authorization: `Bearer ${key}` } };
    const response = await fetch(`${url}/v1/${route}`, {
      ...sent,
      body: JSON.stringify({ messages, model: "gpt-5.4" }),
    });
    return (await response.json()) as { readonly because?: string; readonly ccr_hashes: readonly string[] };
  };
  const own = (name: string): Row[] =>
    rows(ROWS).map(({ content }) => ({ role: "user", content: `${name} ${content}` }));

  it("push out nothing of others, take a part of the store a minute together, and nothing of a listed tenant's", async () => {
    let time = 1_000_000;
    const bytesMax = 10_000_000;
    const store = createMemoryStore({ now: () => time });
    await store.appendChain("somebody", talk("their question", "their answer ".repeat(100_000)));
    const keys = [createHash("sha256").update("listed").digest("hex")];
    const tenants = { tenants: { team: { keys, limits: {} } }, others: "allow" } as const;
    const { url } = await front("http://127.0.0.1:9", {
      contextLength: WINDOW_TOKENS,
      tenant: "per_key",
      tenants: { current: () => tenants, problem: () => undefined },
      store,
      retention: { bytesMax },
      now: () => time,
    });
    const answers = [];
    for (let n = 0; n < 30; n++) answers.push(await ask(url, `sk-invented-${n}`, own(`invented ${n}`)));
    const taken = answers.filter(({ ccr_hashes: hashes }) => hashes.length > 0).length;
    expect(taken).toBeGreaterThan(0);
    expect((await store.holdings()).bytes - (await store.holdings("somebody")).bytes).toBeLessThanOrEqual(
      bytesMax / 20,
    );
    expect(answers.at(-1)).toMatchObject({ messages: own("invented 29"), because: "tenant_store_full" });
    const compactions = [];
    for (let n = 0; n < 9; n++) compactions.push(await ask(url, `sk-other-${n}`, own(`other ${n}`), "compact"));
    expect(compactions.at(-1)).toMatchObject({ messages: own("other 8"), because: "tenant_store_full" });
    expect((await ask(url, "listed", own("listed"))).ccr_hashes).not.toEqual([]);
    // What was kept a moment ago is not counted again.
    expect((await ask(url, "sk-invented-0", own("invented 0"))).ccr_hashes).not.toEqual([]);
    time += 60_000;
    expect((await ask(url, "sk-invented-31", own("invented 31"))).ccr_hashes).not.toEqual([]);
    expect((await store.holdings("somebody")).sessions).toBe(1);
  });
});

describe("GET /v1/retrieve/HASH", () => {
  const first = async (proof: Pick<Standing, "url">): Promise<string> => {
    const { messages } = await compress(proof, rows(ROWS));
    return /hash=([0-9a-f]+)/.exec(String(messages[0]!.content))![1]!;
  };

  it("answers with the original, or with the places of a query", async () => {
    const proof = await gateway();
    const hash = await first(proof);
    const whole = await fetch(`${proof.url}/v1/retrieve/${hash}`);
    expect(await whole.json()).toEqual({ hash, original_content: text(0) });
    const found = await fetch(`${proof.url}/v1/retrieve/${hash}?query=order+17`);
    const { original_content: places } = (await found.json()) as { readonly original_content: string };
    expect(places).toContain("order 17");
    expect(places.length).toBeLessThan(text(0).length);
  });

  it("answers with the best places of all the hashes that are named", async () => {
    const proof = await gateway();
    const { ccr_hashes: hashes } = await compress(proof, rows(ROWS));
    expect(hashes.length).toBeGreaterThan(2);
    const [newest, ...older] = hashes.toReversed();
    const found = await fetch(
      `${proof.url}/v1/retrieve/${[newest, ...older].join(",")}?query=depot+Depot-79190&only=found`,
    );
    const { original_content: places } = (await found.json()) as { readonly original_content: string };
    expect(places.split("\n").find((line) => line.includes("Fact"))).toContain("Depot-79190.");
    const unknown = await fetch(`${proof.url}/v1/retrieve/${"0".repeat(24)},${"1".repeat(24)}?query=Fact`);
    expect(unknown.status).toBe(404);
  });

  it("knows a hash only as a whole, and only for its tenant", async () => {
    const proof = await front("http://127.0.0.1:9", { contextLength: WINDOW_TOKENS, tenant: "per_key" });
    expect((await send(proof.url, { messages: rows(1) })).status).toBe(401);
    const asked = (key: string) => ({ ...headers, authorization: `Bearer ${key}` });
    const body = JSON.stringify({ messages: rows(ROWS) });
    const response = await fetch(`${proof.url}/v1/compress`, { method: "POST", headers: asked("one"), body });
    const [hash] = ((await response.json()) as Compressed).ccr_hashes;
    const status = async (key: string, path: string) =>
      (await fetch(`${proof.url}/v1/retrieve/${path}`, { headers: asked(key) })).status;
    expect(await status("one", hash!)).toBe(200);
    expect(await status("two", hash!)).toBe(404);
    expect(await status("one", `${hash!.slice(0, 9)}${"0".repeat(15)}`)).toBe(404);
    expect(await status("one", hash!.slice(0, 9))).toBe(404);
  });
});

describe("POST /v1/compact", () => {
  it("answers with a handoff and the newest messages, and hashes with which the rest is found", async () => {
    const proof = await gateway();
    const messages = rows(ROWS).flatMap((row) => [row, { role: "assistant", content: "Noted." }]);
    const response = await fetch(`${proof.url}/v1/compact`, {
      method: "POST",
      headers,
      body: JSON.stringify({ messages, model: "gpt-5.4", context_length: WINDOW_TOKENS }),
    });
    const answer = (await response.json()) as Compressed & { readonly compacted: boolean; readonly hashes: string[] };
    expect(answer.compacted).toBe(true);
    expect(JSON.stringify(answer.messages)).toContain("[precis handoff 1]");
    expect(answer.messages.at(-1)).toEqual(messages.at(-1));
    expect(answer.tokens_after).toBeLessThan(WINDOW_TOKENS / 2);
    const found = await Promise.all(
      answer.hashes.map(async (hash) => (await fetch(`${proof.url}/v1/retrieve/${hash}?query=Depot-79190`)).text()),
    );
    expect(found.join("\n")).toContain("Fact 10: the depot is called Depot-79190.");
  });

  it("says why it leaves a conversation as it is", async () => {
    const proof = await gateway();
    const messages = rows(1);
    const body = JSON.stringify({ messages });
    const response = await fetch(`${proof.url}/v1/compact`, { method: "POST", headers, body });
    expect(await response.json()).toMatchObject({
      messages,
      compacted: false,
      because: expect.any(String),
      hashes: [],
    });
  });
});
