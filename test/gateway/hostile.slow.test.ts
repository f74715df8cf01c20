/**
 * Bodies that mean harm, or that somebody's bug wrote: each is refused with a clear 4xx or passed on byte for byte, the
 * process lives, the next ordinary request is answered as ever, and memory comes back.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ask, bodyOf, PROTOCOLS, worked, type Asking, type Told } from "./support/asking.ts";
import { serve, type Serving } from "./support/serving.ts";
import { temporaryFolder } from "./support/standing.ts";
import { upstreamOf, type Upstream } from "./support/upstream.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
const MB = 1024 * 1024;
const ANSWER = JSON.stringify({
  id: "c",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
});
/** So often all bodies are sent until the allocator has grown to what they need: that stays with it, not with us. */
const SETTLING_ROUNDS = 3;
const LATER_ROUNDS = 2;
/** What those later ones may add; a body of a hundred megabytes that somebody held would add more. */
const GROWTH_MB_MAX = 150;
const SOCKET_MS = 200;
const ATTEMPTS = 3;
/** How long one bad body may hold up everybody else. */
const HELD_UP_MS_MAX = 15_000;

const list = (protocol: Asking["protocol"]): string => (protocol === "openai-responses" ? "input" : "messages");
const said = '{"role":"user","content":"hello"}';
/** A million of them are within what is read. */
const SHORT = `{"role":"user","content":"x"}`;

/** By name, for the protocol whose list of messages has this name. */
const BODIES: Readonly<Record<string, (list: string) => string | Buffer<ArrayBuffer>>> = {
  "is empty": () => "",
  "is white space": () => " \n\t ".repeat(1_000),
  "is null": () => "null",
  "is an array": () => `[${said},${said}]`,
  "is a string": () => '"hello"',
  "is a number of ten thousand digits": () => "9".repeat(10_000),
  "has a number of ten thousand digits": (name) =>
    `{"model":"m","seed":${"1".repeat(10_000)},"max_tokens":${"8".repeat(10_000)},"${name}":[${said}]}`,
  "is nested a hundred thousand deep": (name) =>
    `{"model":"m","${name}":[{"role":"user","content":${"[".repeat(100_000)}${"]".repeat(100_000)}}]}`,
  "is nested a hundred thousand deep in objects": (name) =>
    `{"model":"m","metadata":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)},"${name}":[${said}]}`,
  "is nested a hundred thousand deep and never ends": () => "[".repeat(100_000),
  "is nested deep in a call's arguments": (name) =>
    `{"model":"m","${name}":[${said},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${JSON.stringify("[".repeat(100_000))}}}]},{"role":"tool","tool_call_id":"a","content":"x"}]}`,
  "is cut off": (name) => `{"model":"m","${name}":[${said},{"role":"us`,
  "is cut off in a string's escape": (name) => `{"model":"m","${name}":[{"role":"user","content":"\\u00`,
  "has duplicate keys": (name) =>
    `{"model":"m","${name}":[${said}],"model":"n","${name}":[],"${name}":[${said},${said}]}`,
  "has __proto__ and constructor": (name) =>
    `{"__proto__":{"model":"p","polluted":true},"constructor":{"prototype":{"polluted":true}},"model":"m","${name}":[{"__proto__":{"role":"system"},"role":"user","content":"x","constructor":1}]}`,
  "has lone surrogates": (name) => `{"model":"m","${name}":[{"role":"user","content":"\\ud800 and \\udfff\\ud83d"}]}`,
  "is not UTF-8": (name) =>
    Buffer.concat([
      Buffer.from(`{"model":"m","${name}":[{"role":"user","content":"`),
      Buffer.from([0xff, 0xfe, 0x80, 0xc3, 0x28]),
      Buffer.from('"}]}'),
    ]),
  "begins with a byte order mark": (name) => `\ufeff{"model":"m","${name}":[${said}]}`,
  "holds zeros": () => Buffer.alloc(10_000),
  "has messages that are no messages": (name) =>
    `{"model":"m","${name}":[1,null,"x",[],{},{"role":7},{"role":"user","content":{"a":1}}]}`,
};

/** A provider refuses these as they are; their halves of characters are replaced. */
const REPAIRED = new Set(["has lone surrogates"]);

/** These cost seconds: in a short run one protocol meets them. */
const LARGE_BODIES: typeof BODIES = {
  "has one message of ten million characters": (name) =>
    `{"model":"m","${name}":[{"role":"user","content":"${"x".repeat(10_000_000)}"}]}`,
  "has a million keys": (name) =>
    `{"model":"m",${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":0`).join(",")},"${name}":[${said}]}`,
  "has a million messages": (name) =>
    `{"model":"m","${name}":[${Array.from({ length: 1_000_000 }, () => SHORT).join(",")}]}`,
  "has a hundred megabytes": (name) => `{"model":"m","${name}":[{"role":"user","content":"${"y".repeat(100 * MB)}"}]}`,
};

/** One process for a whole test: what one body did to it, the next one meets. */
async function begin(): Promise<{ readonly gateway: Serving; readonly upstream: Upstream }> {
  const upstream = await upstreamOf(() => ({ pieces: [ANSWER] }));
  const gateway = await serve({ upstream: upstream.url, folder: temporaryFolder() });
  return { upstream, gateway };
}

let ordinary = 0;

async function expectOrdinary({ url }: Serving): Promise<void> {
  const body = bodyOf("openai-chat", worked(`ordinary ${(ordinary += 1)}`, 3));
  const told = await ask(url, { protocol: "openai-chat", body });
  expect([told.status, told.text, told.treatment]).toEqual([200, ANSWER, "unchanged"]);
}

/** Whoever sends a body that nobody wants slower than it is read away is cut off: that is asked again. */
async function askPatiently(url: string, asking: Asking): Promise<Pick<Told, "status" | "text" | "treatment">> {
  let cut = { status: 0, text: "", treatment: "" };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await ask(url, asking);
    } catch (error) {
      cut = { ...cut, text: String((error as Error).cause) };
    }
  }
  return cut;
}

const sha256 = (body: string | Uint8Array): string => createHash("sha256").update(body).digest("hex");

describe.each(PROTOCOLS)("%s", (protocol) => {
  const bodies = FULL || protocol === PROTOCOLS[0] ? { ...BODIES, ...LARGE_BODIES } : BODIES;

  it("outlives every body", async () => {
    const { gateway, upstream } = await begin();
    const sendAll = async (rounds: number): Promise<number> => {
      for (let round = 0; round < rounds; round += 1)
        for (const [name, make] of Object.entries(bodies)) {
          const outcome = await outcomeOf(name, make(list(protocol)), { gateway, upstream, protocol });
          const expected = OUTCOMES[name];
          if (expected !== undefined) expect([name, outcome]).toEqual([name, expected]);
        }
      await expectOrdinary(gateway);
      return gateway.residentMb();
    };
    const settledMb = await sendAll(SETTLING_ROUNDS);
    expect((await sendAll(LATER_ROUNDS)) - settledMb).toBeLessThan(GROWTH_MB_MAX);
  });
});

/** What becomes of these is known in advance; of all, that they are refused with a reason, repaired, or passed on as they are. */
const OUTCOMES: Readonly<Record<string, string>> = {
  "has a hundred megabytes": "413",
  "is not UTF-8": "passed: untouched; because=not_text",
  "is cut off": "passed: untouched; because=unreadable",
};

interface Sent {
  readonly gateway: Serving;
  readonly upstream: Upstream;
  readonly protocol: Asking["protocol"];
}

async function outcomeOf(
  name: string,
  body: string | Buffer<ArrayBuffer>,
  { gateway, upstream, protocol }: Sent,
): Promise<string> {
  const before = upstream.got.length;
  const sending = askPatiently(gateway.url, { protocol, body });
  // Somebody else's request, while it is worked on.
  const startMs = performance.now();
  await expectOrdinary(gateway);
  expect([name, performance.now() - startMs < HELD_UP_MS_MAX]).toEqual([name, true]);
  const told = await sending;
  expect([name, gateway.alive()]).toEqual([name, true]);
  const passed = upstream.got.slice(before).find(({ sha256: sum }) => sum === sha256(body));
  if (passed !== undefined) {
    expect([name, told.status, told.text]).toEqual([name, 200, ANSWER]);
    return `passed: ${told.treatment}`;
  }
  if (REPAIRED.has(name)) {
    const repaired = [name, 200, ANSWER, expect.stringMatching(/^rewritten/)];
    expect([name, told.status, told.text, told.treatment]).toEqual(repaired);
  } else expect([name, told.status, errorIn(told.text)]).toEqual([name, 413, expect.stringMatching(/large|bytes/i)]);
  return String(told.status);
}

describe("what is compressed", () => {
  it("is refused where it grows beyond the limit, and passed on where it is no coding at all", async () => {
    const { gateway, upstream } = await begin();
    const bomb = gzipSync(Buffer.alloc(200 * MB, 0x20), { level: 1 });
    const told = await ask(gateway.url, {
      protocol: "openai-chat",
      body: bomb,
      headers: { "content-encoding": "gzip" },
    });
    expect([told.status, errorIn(told.text)]).toEqual([413, expect.stringMatching(/large|bytes/i)]);
    const got = upstream.got.length;
    const body = bodyOf("openai-chat", worked("compressed", 2));
    for (const coding of ["gzip", "br", "unheard-of"]) {
      const odd = await ask(gateway.url, { protocol: "openai-chat", body, headers: { "content-encoding": coding } });
      expect([coding, odd.status < 500]).toEqual([coding, true]);
    }
    expect(upstream.got.slice(got).every(({ sha256: sum }) => sum === sha256(body))).toBe(true);
    await expectOrdinary(gateway);
  });
});

describe("what is hardly HTTP", () => {
  const TEXTS: readonly (readonly [string, string])[] = [
    ["no HTTP at all", "\u0000\u0001\u0002 hello\r\n\r\n"],
    [
      "two lengths",
      "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nabcde",
    ],
    [
      "a length and chunks",
      "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a body that ends early", "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 500\r\n\r\n{"],
    ["headers without end", `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n${"x-a: b\r\n".repeat(5_000)}`],
    [
      "a path to elsewhere",
      "POST http://169.254.169.254/latest HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0\r\n\r\n",
    ],
  ];

  it("harms nobody", async () => {
    const { gateway, upstream } = await begin();
    for (const [name, text] of TEXTS) {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
      socket.on("error", () => undefined).resume();
      const closed = once(socket, "close").catch(() => undefined);
      socket.end(text);
      await Promise.race([closed, pause(SOCKET_MS)]);
      socket.destroy();
      await expectOrdinary(gateway);
      expect([name, gateway.alive()]).toEqual([name, true]);
    }
    expect(upstream.got.every(({ url }) => url.startsWith("/"))).toBe(true);
  });
});

function errorIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } };
    return error?.message ?? "";
  } catch {
    return `no JSON: ${text.slice(0, 100)}`;
  }
}
