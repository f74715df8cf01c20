/** Answers go at the pace of who sends and of who takes them: nothing is held up, and nothing heaps up. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { request as undiciRequest } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { bodyOf, gatewayTo, upstream } from "./standing.ts";

const MB = 1024 * 1024;
/** What the buffers of two connections, and the bounded ones between them, may hold. */
const UNDER_WAY_BYTES = 24 * MB;
const LARGE_BYTES = 128 * MB;

describe("the first byte", () => {
  test("comes before the second was sent", async () => {
    const second = Promise.withResolvers<void>();
    const far = await upstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
      await second.promise;
      response.end("data: 2\n\n");
    });
    const answer = await undiciRequest((await gatewayTo(far.url)).url);
    const pieces = answer.body[Symbol.asyncIterator]();
    expect(String((await pieces.next()).value)).toBe("data: 1\n\n");
    second.resolve();
    expect(String((await pieces.next()).value)).toBe("data: 2\n\n");
  });

  test("is not waited for: headers come when they come", async () => {
    const first = Promise.withResolvers<void>();
    const far = await upstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      await first.promise;
      response.end("late");
    });
    const answer = await undiciRequest((await gatewayTo(far.url)).url);
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    first.resolve();
    expect(await answer.body.text()).toBe("late");
  });
});

describe("a client that takes nothing", () => {
  test("is sent no more than buffers hold, and later all of it", async () => {
    let sent = 0;
    const far = await upstream(async (_, response) => {
      const piece = Buffer.alloc(MB, "x");
      response.writeHead(200, { "content-length": LARGE_BYTES });
      for (; sent < LARGE_BYTES; sent += MB) if (!response.write(piece)) await once(response, "drain");
      response.end();
    });
    const gateway = await gatewayTo(far.url);
    const asking = httpRequest(gateway.url).end();
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    for (let seen = -1; sent !== seen;) {
      seen = sent;
      await sleep(150);
    }
    expect(sent).toBeLessThan(UNDER_WAY_BYTES);
    let taken = 0;
    answer.on("data", (bytes: Buffer) => (taken += bytes.length));
    await once(answer, "end");
    expect(taken).toBe(LARGE_BYTES);
  });

  test("is given up after a time, and the call with it", async () => {
    const closed = Promise.withResolvers<void>();
    const far = await upstream((_, response) => {
      response.on("close", closed.resolve);
      response.write(Buffer.alloc(64 * MB));
    });
    const gateway = await gatewayTo(far.url, { limits: { clientIdleTimeoutMs: 300 } });
    const socket = connect(gateway.port).pause();
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
    await closed.promise;
    expect(gateway.arrivals[0]!.signal.aborted).toBe(true);
  });
});

test("a body that goes by as it comes waits for its provider to take it", async () => {
  const taking = Promise.withResolvers<void>();
  const far = await upstream(async (request, response) => {
    await taking.promise;
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    response.end(String(bytes));
  });
  const gateway = await gatewayTo(far.url, { reads: false });
  const asking = httpRequest(`${gateway.url}/v1/files`, { method: "POST" });
  const piece = Buffer.alloc(MB);
  let sent = 0;
  const all = (async () => {
    for (; sent < LARGE_BYTES; sent += MB) if (!asking.write(piece)) await once(asking, "drain");
    asking.end();
  })();
  for (let seen = -1; sent !== seen;) {
    seen = sent;
    await sleep(150);
  }
  expect(sent).toBeLessThan(UNDER_WAY_BYTES);
  taking.resolve();
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  await all;
  expect((await bodyOf(answer)).toString()).toBe(String(LARGE_BYTES));
});
