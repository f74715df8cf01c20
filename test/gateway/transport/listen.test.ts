/** The server itself: its own routes, what a handle may do, and how it stops. */
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { request as undiciRequest } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { PrecisError } from "../../../src/core/errors.ts";
import type { ClientResponse, RequestHandler } from "../../../src/gateway/contract.ts";
import { listen, type Listening, type ListenOptions } from "../../../src/gateway/transport/listen.ts";

async function serving(handle: RequestHandler, options: ListenOptions = {}): Promise<Listening> {
  const listening = await listen(handle, options);
  onTestFinished(() => listening.close());
  return listening;
}

function saying(body: ClientResponse["body"]): RequestHandler {
  return async () => ({ status: 200, headers: [["x-made-by", "the handle"]], body });
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words);

describe("own routes", () => {
  test("are those of /_precis, and no others", async () => {
    const own = async (request: Request): Promise<Response> => new Response(`own ${new URL(request.url).pathname}`);
    const { url } = await serving(saying(text("handled")), { own });
    const heard = async (path: string): Promise<string> => (await undiciRequest(url + path)).body.text();
    expect(await heard("/_precis")).toBe("own /_precis");
    expect(await heard("/_precis/health?x=1")).toBe("own /_precis/health");
    expect(await heard("/_precis?x")).toBe("own /_precis");
    expect(await heard("/_precision")).toBe("handled");
    expect(await heard("/v1/_precis/")).toBe("handled");
  });

  test("that fail end in a 500, and those of nobody go to the handle", async () => {
    const broken = await serving(saying(text("handled")), { own: () => Promise.reject(new Error("a fault")) });
    expect((await undiciRequest(`${broken.url}/_precis/x`)).statusCode).toBe(500);
    const none = await serving(saying(text("handled")));
    expect(await (await undiciRequest(`${none.url}/_precis/x`)).body.text()).toBe("handled");
  });
});

describe("a handle", () => {
  test.each<[string, ClientResponse["body"], string]>([
    ["nothing", undefined, ""],
    ["bytes", text("bytes"), "bytes"],
    [
      "what it makes as it goes",
      (async function* () {
        yield text("one ");
        await sleep(5);
        yield text("two");
      })(),
      "one two",
    ],
    [
      "nothing as it goes",
      (async function* () {
        await sleep(5);
        yield* [];
      })(),
      "",
    ],
  ])("may answer with %s", async (_, body, heard) => {
    const answer = await undiciRequest((await serving(saying(body))).url);
    expect([await answer.body.text(), answer.headers["x-made-by"]]).toEqual([heard, "the handle"]);
  });

  test.each([
    [new PrecisError("It is full.", { code: "gateway_busy", hint: "Come again." }), 503, "It is full. Come again."],
    [new PrecisError("Who knows.", { code: "something_else", hint: "Look." }), 500, "Who knows. Look."],
    [new Error("holds what a client wrote"), 500, "the gateway failed internally"],
  ])("that rejects (%s) is answered for", async (error, status, message) => {
    const { url } = await serving(async () => {
      throw error;
    });
    const answer = await undiciRequest(`${url}/v1/messages`);
    expect(answer.statusCode).toBe(status);
    const told = await answer.body.text();
    expect(JSON.parse(told)).toMatchObject({ type: "error", error: { message: expect.stringContaining(message) } });
    expect(told).not.toContain("client wrote");
  });

  test("that fails before the first byte is answered for, and cut after it", async () => {
    const failing = (after: Uint8Array[]): RequestHandler =>
      saying(
        (async function* () {
          yield* after;
          throw new PrecisError("It broke.", { code: "upstream_broke_off", hint: "Again." });
        })(),
      );
    const early = await undiciRequest((await serving(failing([]))).url);
    expect([early.statusCode, early.headers["x-made-by"]]).toEqual([502, undefined]);
    await early.body.dump();
    const late = await undiciRequest((await serving(failing([text("some")]))).url);
    expect(late.statusCode).toBe(200);
    await expect(late.body.text()).rejects.toThrow("other side closed");
  });

  test.each([
    ["leave with a body that comes with them", 0, true],
    ["do not wait for a body that takes its time", 300, false],
  ])("has headers that %s", async (_, waitMs, together) => {
    const body = async function* (): AsyncGenerator<Uint8Array> {
      if (waitMs > 0) await sleep(waitMs);
      yield text("the body");
    };
    const { port } = await serving(saying(body()));
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(first.includes("the body")).toBe(together);
  });

  test("whose headers are none ends in a 500", async () => {
    const { url } = await serving(async () => ({ status: 200, headers: [["a b", "c"]], body: undefined }));
    expect((await undiciRequest(url)).statusCode).toBe(500);
  });
});

test("a port that is taken is told of", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(listen(saying(undefined), { port })).rejects.toMatchObject({ code: "listen_failed" });
});

describe("a stop", () => {
  /** Says one word at once, and another when it is let. */
  function slow(): { handle: RequestHandler; finish: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const body = async function* (): AsyncGenerator<Uint8Array> {
      yield text("one ");
      await promise;
      yield text("two");
    };
    return { handle: async () => ({ status: 200, headers: [], body: body() }), finish: resolve };
  }

  test("lets what is under way end, and takes nothing new", async () => {
    const { handle, finish } = slow();
    const gateway = await serving(handle);
    const answer = await undiciRequest(gateway.url);
    const stopped = gateway.close();
    await expect(fetch(gateway.url)).rejects.toThrow("fetch failed");
    finish();
    expect(await answer.body.text()).toBe("one two");
    await stopped;
  });

  test("ends what takes longer than it may", async () => {
    const { handle } = slow();
    const gateway = await serving(handle, { limits: { drainMs: 100 } });
    const answer = await undiciRequest(gateway.url);
    const started = performance.now();
    const heard = answer.body.text().catch(() => "cut");
    await gateway.close();
    expect(performance.now() - started).toBeGreaterThan(90);
    expect(await heard).toBe("cut");
  });

  test("waits for no connection on which nothing is under way", async () => {
    const gateway = await serving(saying(text("x")), { limits: { drainMs: 10_000 } });
    const fresh = connect(gateway.port);
    await once(fresh, "connect");
    const used = connect(gateway.port);
    used.write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
    await once(used, "data");
    await sleep(20);
    const started = performance.now();
    await Promise.all([gateway.close(), once(fresh, "close"), once(used, "close")]);
    expect(performance.now() - started).toBeLessThan(5_000);
    await gateway.close();
  });
});
