/** Whatever a client sends: it is refused in clear words or goes by, within bounds, and the gateway lives. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { request as undiciRequest, type Dispatcher } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { bodyOf, gatewayTo, speak, upstream, type Standing, type StandingOptions } from "./standing.ts";

const MB = 1024 * 1024;

let last: Standing | undefined;

async function standing(options: StandingOptions = {}): Promise<Standing> {
  const far = await upstream(async (request, response) => {
    const body = await bodyOf(request);
    response.end(String(body.length));
  });
  last = await gatewayTo(far.url, options);
  return last;
}

afterEach(async () => {
  const answer = await undiciRequest(`${last!.url}/v1/x`, { method: "POST", body: "alive" });
  if ((await answer.body.text()) !== "5") throw new Error("the gateway does not serve as before");
});

function statusOf(heard: string): string {
  return heard.slice("HTTP/1.1 ".length, heard.indexOf("\r\n"));
}

describe("a body that is too large", () => {
  test.each([
    ["/v1/messages", { type: "error", error: { type: "request_too_large", code: "request_too_large" } }],
    ["/v1/responses", { error: { type: "invalid_request_error", param: null, code: "request_too_large" } }],
  ])("is refused by its announced length on %s, and its sender hears it", async (route, shape) => {
    const { url } = await standing();
    const answer = await undiciRequest(`${url}${route}`, { method: "POST", body: Buffer.alloc(100 * MB) });
    expect(answer.statusCode).toBe(413);
    expect(await answer.body.json()).toMatchObject(shape);
  });

  test("is refused when it comes in chunks, and its sender hears it", async () => {
    const { port } = await standing({ limits: { bodyBytes: 2 * MB } });
    const socket = connect(port);
    const heard = bodyOf(socket);
    socket.write("POST /v1/responses HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n");
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(MB), Buffer.from("\r\n")]);
    for (let sent = 0; sent < 40; sent++) if (!socket.write(chunk)) await once(socket, "drain");
    socket.end("0\r\n\r\n");
    const answer = (await heard).toString();
    expect(statusOf(answer)).toMatch(/^413 /);
    expect(answer).toMatch(/larger than 2 MB\. /);
  });

  test("is not even asked for, where its sender asks first", async () => {
    const { url } = await standing();
    const asking = httpRequest(`${url}/v1/responses`, {
      method: "POST",
      headers: { expect: "100-continue", "content-length": 100 * MB },
    });
    asking.on("continue", () => asking.destroy(new Error("it was asked for")));
    asking.on("error", () => undefined);
    asking.flushHeaders();
    const [answer] = await once(asking, "response");
    expect(answer.statusCode).toBe(413);
    asking.destroy();
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("is refused where it unfolds from %s", async (encoding, compress) => {
    const { url } = await standing({ limits: { bodyBytes: 4 * MB } });
    const bomb = compress(Buffer.alloc(8 * MB));
    expect(bomb.length).toBeLessThan(MB);
    const headers = { "content-encoding": encoding };
    const answer = await undiciRequest(`${url}/v1/messages`, { method: "POST", headers, body: bomb });
    expect(answer.statusCode).toBe(413);
    await answer.body.dump();
  });

  test("is asked to come again where others fill what the gateway holds", async () => {
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const far = await upstream(async (request, response) => {
      const body = await bodyOf(request);
      arrived.resolve();
      await answered.promise;
      response.end(String(body.length));
    });
    last = await gatewayTo(far.url, { limits: { bodiesBytes: 3 * MB } });
    const send = (): Promise<Dispatcher.ResponseData> =>
      undiciRequest(`${last!.url}/v1/x`, { method: "POST", body: Buffer.alloc(2 * MB) });
    const holding = send();
    await arrived.promise;
    const refused = await send();
    expect(refused.statusCode).toBe(503);
    expect(await refused.body.json()).toMatchObject({ error: { code: "gateway_busy" } });
    answered.resolve();
    expect(await (await holding).body.text()).toBe(String(2 * MB));
    const again = await send();
    expect(again.statusCode).toBe(200);
    await again.body.dump();
  });
});

describe("bytes that are not what they say", () => {
  test.each([
    ["a length that is no number", "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 0x10\r\n\r\n", /^400 /],
    ["two lengths", "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", /^400 /],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      /^400 /,
    ],
    [
      "chunks without a size",
      "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      /^400 /,
    ],
    ["no host", "GET / HTTP/1.1\r\n\r\n", /^400 /],
    ["a header name with a space", "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nbad name: x\r\n\r\n", /^400 /],
    ["a header of a megabyte", `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${"y".repeat(MB)}\r\n\r\n`, /^431 /],
    ["a target of a megabyte", `GET /${"y".repeat(MB)} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`, /^431 /],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", /^400 /],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n", /^405 /],
    ["a forward proxy's target", "GET http://example.com/v1/models HTTP/1.1\r\nhost: example.com\r\n\r\n", /^400 /],
    ["a target that is no path", "OPTIONS * HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", /^400 /],
    ["an expectation that nobody knows", "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: a miracle\r\n\r\n", /^417 /],
  ])("%s", async (_, said, status) => {
    const { port } = await standing();
    const heard = await speak(port, Buffer.from(said, "latin1"), (text) => text.includes("\r\n\r\n"));
    expect(statusOf(heard)).toMatch(status);
  });

  test("a target with letters that no path has goes on or is refused, and goes nowhere else", async () => {
    const { port } = await standing();
    for (const target of ["//evil.example/x", "/\\evil.example", "/%2e%2e/x", "/a\xe9b", "/@evil.example:80/"]) {
      const said = Buffer.from(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`, "latin1");
      expect(statusOf(await speak(port, said))).toMatch(/^(?:200|400) /);
    }
  });

  test.each(["gzip", "br", "zstd", "deflate", "gzip, br", "x-unheard-of"])(
    "a body that is not the %s it is said to be goes on as it is",
    async (encoding) => {
      const { url } = await standing();
      const headers = { "content-encoding": encoding };
      const answer = await undiciRequest(`${url}/v1/messages`, { method: "POST", headers, body: "not compressed" });
      expect([answer.statusCode, await answer.body.text()]).toEqual([200, "14"]);
    },
  );

  test("a body that is not UTF-8 goes on as it is", async () => {
    const { url } = await standing();
    const answer = await undiciRequest(`${url}/v1/messages`, { method: "POST", body: Buffer.from([0xff, 0xfe, 0x80]) });
    expect(await answer.body.text()).toBe("3");
  });
});

describe("a client that takes its time", () => {
  test("with its headers is told so, and let go", async () => {
    const { port } = await standing({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 } });
    const socket = connect(port);
    socket.on("error", () => undefined);
    let heard = "";
    socket.on("data", (bytes) => (heard += bytes.toString()));
    const drip = setInterval(() => socket.write("x"), 50);
    socket.write("GET / HTTP/1.1\r\n");
    await once(socket, "close");
    clearInterval(drip);
    expect(statusOf(heard)).toMatch(/^408 /);
  });

  test("with its body is told so, and let go", async () => {
    const { port, arrivals } = await standing({ limits: { headersTimeoutMs: 300, requestTimeoutMs: 300 } });
    const heard = await speak(port, "POST /v1/x HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\nhalf");
    expect(statusOf(heard)).toMatch(/^408 /);
    await sleep(20);
    expect(arrivals[0]!.signal.aborted).toBe(true);
  });

  test("and opens more connections than there may be does not get them", async () => {
    const { port } = await standing({ limits: { connections: 3 } });
    const sockets = Array.from({ length: 6 }, () => connect(port).on("error", () => undefined));
    await sleep(200);
    expect(sockets.filter(({ closed }) => !closed)).toHaveLength(3);
    for (const socket of sockets) socket.destroy();
    await sleep(50);
  });
});

describe("another protocol", () => {
  const UPGRADE = "GET /v1/responses HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\n";

  test("that is WebSocket is refused at once, so that its client takes HTTP", async () => {
    const { port, arrivals } = await standing();
    const handshake = "upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: x\r\n\r\n";
    const heard = await speak(port, `${UPGRADE}${handshake}`);
    expect(statusOf(heard)).toBe("426 Upgrade Required");
    expect(heard).toContain('"code":"no_websocket"');
    expect(arrivals).toHaveLength(0);
  });

  test("that is only offered is passed over", async () => {
    const { port } = await standing();
    const offer = "upgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n\r\n";
    expect(statusOf(await speak(port, `${UPGRADE}${offer}`, (text) => text.includes("\r\n\r\n")))).toBe("200 OK");
  });
});
