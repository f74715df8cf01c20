/** The connection: pace, hang-ups, broken answers, compressed bodies, bounds, and faults that can be had again. */
import { request } from "node:http";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { FAULT_KINDS, type FaultKind } from "../src/faults.ts";
import type { RequestRecord } from "../src/record.ts";
import { BODIES, PATHS, served, type Served } from "./asking.ts";

const ROUTES = ["chat", "responses", "messages"] as const;
const LONG = "One sentence after another, at the speed of a model. ".repeat(40);
const NOTICE_MS = 100;
/** A machine that does other things at the same time may stop all of this for as long. */
const RETRIES = 3;

const until = async (met: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 200 && !met(); tries++) await new Promise((done) => setTimeout(done, 5));
};

describe.each(ROUTES)("%s", (route) => {
  const stream = { ...BODIES[route], stream: true };

  it("streams at the pace that was set", async () => {
    const provider = await served({ script: { text: LONG }, pace: 2_000 });
    const from = performance.now();
    await provider.ask(route, stream);
    const seconds = (performance.now() - from) / 1_000;
    const tokens = provider.account().total.tokens.output;
    expect(tokens / seconds).toBeLessThan(2_100);
    expect(tokens / seconds).toBeGreaterThan(400);
  });

  it("notices within 100 ms that the client hung up, answered or waiting", { retry: RETRIES }, async () => {
    for (const options of [
      { script: { text: LONG }, pace: 50 },
      { script: { text: LONG, fault: { kind: "stall", at: 0 } } },
    ] as const) {
      const provider = await served(options);
      const hangUp = new AbortController();
      const response = fetch(`${provider.url}${PATHS[route]}`, {
        method: "POST",
        headers: { authorization: "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01" },
        body: JSON.stringify(stream),
        signal: hangUp.signal,
      });
      if ("pace" in options) await (await response).body!.getReader().read();
      else await until(() => provider.account().total.faults.stall === 1);
      const leftMs = performance.now();
      hangUp.abort();
      await response.catch(() => undefined);
      await until(() => provider.account().total.aborted === 1);
      const { abort, outcome } = provider.requests[0]!;
      expect(outcome).toBe("aborted");
      expect(abort!.noticedMs - leftMs).toBeLessThan(NOTICE_MS);
      expect(abort!.noticedMs - abort!.closedMs).toBeLessThan(NOTICE_MS);
      expect(provider.account().total.answered).toBe(0);
    }
  });

  it("breaks off where it is told to, streamed or not", async () => {
    const provider = await served({ script: { text: LONG, fault: { kind: "cut" } } });
    for (const body of [stream, BODIES[route]]) {
      const response = await provider.send(route, body);
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow(/terminated|closed|aborted/);
    }
    expect(provider.account().total.faults).toEqual({ cut: 2 });
  });

  it("sends an event that is no JSON where it is told to, and goes on after a stall", async () => {
    const provider = await served({
      script: [
        { text: LONG, fault: { kind: "malformed" } },
        { text: LONG, fault: { kind: "stall", ms: 60 } },
      ],
    });
    const broken = await provider.ask(route, stream);
    const lines = [...broken.text.matchAll(/^data: (.*)$/gm)].map((match) => match[1]!);
    expect(lines.filter((line) => line !== "[DONE]" && !isJson(line))).toHaveLength(1);
    const from = performance.now();
    const late = await provider.ask(route, stream);
    expect(performance.now() - from).toBeGreaterThan(55);
    expect(late.text.length).toBeGreaterThan(LONG.length);
  });

  it("says an overflow before any content, and leaves the connection whole", async () => {
    const provider = await served({ script: { text: LONG, fault: { kind: "overflow" } } });
    const streamed = await provider.ask(route, stream);
    expect([streamed.status, streamed.text.includes("One sentence")]).toEqual([200, false]);
    expect(streamed.text).toMatch(/context_length_exceeded|prompt is too long/);
    expect((await provider.ask(route, BODIES[route])).status).toBe(400);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("bodies", () => {
  const json = JSON.stringify(BODIES.messages);

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("come in %s, and in chunks", async (encoding, compress) => {
    const provider = await served();
    expect(await chunked(provider, compress(json), { "content-encoding": encoding })).toBe(200);
    expect(provider.requests[0]!.body).toBe(json);
    expect(await chunked(provider, Buffer.from("not compressed"), { "content-encoding": encoding })).toBe(400);
  });

  it("are bounded, as sent and as decompressed", async () => {
    const provider = await served({ limits: { bodyBytes: 10_000 } });
    const huge = JSON.stringify({ ...BODIES.messages, system: "x".repeat(20_000) });
    expect((await provider.ask("messages", huge)).json["error"]).toMatchObject({ type: "request_too_large" });
    expect(await chunked(provider, Buffer.from(huge))).toBe(413);
    expect(await chunked(provider, gzipSync(huge), { "content-encoding": "gzip" })).toBe(413);
    expect(provider.account().total.rejected).toEqual({ size: 3 });
  });

  it("may be hostile: nested without end, of bytes that are no text, with keys of the prototype", async () => {
    const provider = await served();
    const deep = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    const asInput = JSON.stringify({ ...BODIES.messages, tools: [{ name: "a", input_schema: "HERE" }] });
    expect((await provider.ask("messages", asInput.replace('"HERE"', deep))).status).toBe(400);
    expect(provider.account().total.rejected).toEqual({ json: 1 });
    const asContent = json.replace('"content":"Read a."', `"content":[${deep}]`);
    expect((await provider.ask("messages", asContent)).status).toBe(400);
    expect(await chunked(provider, Buffer.from([0x7b, 0xff, 0x7d]))).toBe(400);
    expect((await provider.ask("messages", json.replace("{", '{"__proto__":{"stream":true},'))).status).toBe(200);
    expect((await provider.ask("messages", BODIES.messages)).status).toBe(200);
  });
});

/** A request without a length, in two chunks; gives the status. */
function chunked(provider: Served, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((done, fail) => {
    const asking = request(
      `${provider.url}/v1/messages`,
      { method: "POST", headers: { "x-api-key": "k", "anthropic-version": "1", ...headers } },
      (response) => {
        response.resume().on("end", () => done(response.statusCode!));
      },
    );
    asking.on("error", fail);
    asking.write(body.subarray(0, body.length >> 1));
    asking.end(body.subarray(body.length >> 1));
  });
}

it("a script that throws is a 500, and the next request is answered", async () => {
  const provider = await served({
    script: ({ body }) => {
      if (body["temperature"] === 1) throw new Error("no answer for this");
      return { text: "fine" };
    },
  });
  const told = await provider.ask("chat", { ...BODIES.chat, temperature: 1 });
  expect([told.status, told.text]).toEqual([500, expect.stringContaining("no answer for this")]);
  expect((await provider.ask("chat", BODIES.chat)).status).toBe(200);
});

it("takes no more connections than it was told", async () => {
  const provider = await served({ script: { text: "x", fault: { kind: "stall", at: 0 } }, limits: { connections: 2 } });
  const hangUp = new AbortController();
  const init = {
    method: "POST",
    headers: { authorization: "Bearer k" },
    body: JSON.stringify({ ...BODIES.chat, stream: true }),
    signal: hangUp.signal,
  };
  const asked = Array.from({ length: 5 }, () =>
    fetch(`${provider.url}${PATHS.chat}`, init).catch((error: Error) => error.message),
  );
  await until(() => provider.account().total.faults.stall === 2);
  await new Promise((done) => setTimeout(done, 50));
  expect(provider.account().total.requests).toBe(2);
  hangUp.abort();
  await Promise.all(asked);
});

describe("faults at a rate", () => {
  const rates = { "rate-limit": 0.2, "server-error": 0.1, overloaded: 0.1, overflow: 0.1 };
  const fates = async (seed: number): Promise<readonly (FaultKind | undefined)[]> => {
    const provider = await served({ faults: rates, seed });
    for (let times = 0; times < 100; times++) await provider.ask("chat", BODIES.chat);
    return provider.requests.map(({ fault }) => fault);
  };

  it("befall the same requests with the same seed, about as many as was said", async () => {
    const [one, again, other] = [await fates(1), await fates(1), await fates(2)];
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    const hit = one.filter((fault) => fault !== undefined).length;
    expect(hit).toBeGreaterThan(25);
    expect(hit).toBeLessThan(55);
  });

  it("tell when to come back", async () => {
    const provider = await served({ script: { fault: { kind: "rate-limit", retryAfterSeconds: 7 } } });
    const told = await provider.ask("messages", BODIES.messages);
    expect([told.status, told.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(provider.account().total).toMatchObject({ rejected: {}, faults: { "rate-limit": 1 } });
    expect(FAULT_KINDS).toContain("rate-limit");
  });
});

describe("the provider's memory of requests", () => {
  it("is bounded in number and in bytes, the newest kept, and each is told of once", async () => {
    const told: RequestRecord[] = [];
    const provider = await served({
      limits: { recordedRequests: 3, recordedBytes: 1_000 },
      onRequest: (record) => told.push(record),
    });
    for (let times = 0; times < 5; times++) await provider.ask("chat", BODIES.chat);
    expect(provider.requests.map(({ index }) => index)).toEqual([2, 3, 4]);
    expect(provider.requests.at(-1)!.body).toBe(JSON.stringify(BODIES.chat));
    expect(provider.requests.map(({ body }) => body.length).reduce((sum, chars) => sum + chars, 0)).toBeLessThanOrEqual(
      1_000,
    );
    expect(told.map(({ index, outcome }) => [index, outcome])).toEqual(
      [0, 1, 2, 3, 4].map((index) => [index, "answered"]),
    );
  });

  it("cuts an answer at the limit that was asked for", async () => {
    const provider = await served({ script: { text: LONG } });
    const told = await provider.ask("messages", { ...BODIES.messages, max_tokens: 20 });
    expect(told.json).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 20 } });
  });

  it("works without a port", async () => {
    const { fetch: ask } = await served();
    const url = "http://provider/v1/chat/completions";
    const init = { method: "POST", headers: { authorization: "Bearer k" }, body: JSON.stringify(BODIES.chat) };
    expect((await ask(new Request(url, init))).status).toBe(200);
  });
});
