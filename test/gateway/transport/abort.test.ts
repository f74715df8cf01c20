/** A client that leaves takes its call to the provider with it, at once and in whatever state that is. */
import { once } from "node:events";
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createProvider, type RequestRecord, type Script } from "../../../provider/src/index.ts";
import { gatewayTo, rawUpstream, upstream, type Standing, type StandingOptions } from "./standing.ts";

const STREAMS = 50;
const NOTICED_WITHIN_MS = 100;
/** Every one of them in `npm run test:full`; half of them in `npm test`, beside which other tests run. */
const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 500) > 500;
/** A machine that does other things at the same time may stop all of this for as long. */
const RETRIES = 3;
const TEXT = "word ".repeat(300);
const TOKENS_A_SECOND = 60;
const LEAVE_EVERY_MS = 10;

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}

function ask(url: string, body: string): ClientRequest {
  const asking = httpRequest(`${url}/v1/chat/completions`, {
    method: "POST",
    agent: false,
    headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
  });
  asking.on("error", () => undefined);
  asking.end(body);
  return asking;
}

async function untilSomeCame(asking: ClientRequest): Promise<void> {
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  answer.on("error", () => undefined);
  await once(answer, "data");
}

async function until<Value>(look: () => Value | undefined): Promise<Value> {
  for (;;) {
    const value = look();
    if (value !== undefined) return value;
    await sleep(5);
  }
}

describe("the strict provider's records", { retry: RETRIES }, () => {
  const stalling: Script = { text: TEXT, fault: { kind: "stall", at: 0.05 } };

  test.each<[string, boolean, Script, (asking: ClientRequest) => Promise<unknown>]>([
    ["while the answer comes", true, { text: TEXT }, untilSomeCame],
    ["while the provider stalls", true, stalling, (asking) => untilSomeCame(asking).then(() => sleep(300))],
    ["before the answer begins", false, { text: TEXT }, () => sleep(200)],
  ])("have 50 of 50 requests as aborted within 100 ms, left %s", async (_, stream, script, ready) => {
    const lateOf = new Map<RequestRecord, (closedMs: number) => void>();
    const provider = createProvider({
      script,
      pace: TOKENS_A_SECOND,
      onRequest: (record) => lateOf.get(record)?.(record.abort?.closedMs ?? Number.POSITIVE_INFINITY),
    });
    const far = await provider.listen();
    const gateway = await gatewayTo(far.url);
    const recordOf = (name: string): RequestRecord | undefined =>
      provider.requests.find(({ body }) => body.includes(name));

    const underWay = await Promise.all(
      Array.from({ length: STREAMS }, async (_none, at) => {
        const name = `request ${at}.`;
        const messages = [{ role: "user", content: name }];
        const asking = ask(gateway.url, JSON.stringify({ model: "gpt-4o", stream, messages }));
        const [record] = await Promise.all([until(() => recordOf(name)), ready(asking)]);
        return { asking, record };
      }),
    );
    const lateMs = await Promise.all(
      underWay.map(async ({ asking, record }, at) => {
        const closed = new Promise<number>((resolve) => void lateOf.set(record, resolve));
        await sleep(at * LEAVE_EVERY_MS);
        const leftMs = performance.now();
        asking.destroy();
        return (await closed) - leftMs;
      }),
    );
    expect(lateMs).toHaveLength(STREAMS);
    expect(FULL ? Math.max(...lateMs) : medianOf(lateMs)).toBeLessThan(NOTICED_WITHIN_MS);
    expect(provider.requests.map(({ outcome }) => outcome)).toEqual(Array(STREAMS).fill("aborted"));
    expect(gateway.arrivals.every(({ signal }) => signal.aborted)).toBe(true);
    await far.close();
  });
});

/** How long after `leave` the provider's side of the connection was closed, in ms. */
async function closedAfter(
  { options, talk = () => undefined }: { options?: StandingOptions; talk?: (say: (bytes: string) => void) => void },
  leave: (gateway: Standing, accepted: Promise<void>) => Promise<void>,
): Promise<number> {
  const accepted = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  const far = await rawUpstream((socket) => {
    socket.once("data", () => {
      accepted.resolve();
      talk((bytes) => void socket.write(bytes));
    });
    socket.on("close", () => closed.resolve(performance.now()));
  });
  await leave(await gatewayTo(far.url, options), accepted.promise);
  const leftMs = performance.now();
  return (await closed.promise) - leftMs;
}

const POST = "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n";

describe("the call ends with the client", { retry: RETRIES }, () => {
  test("that closes its connection before the answer begins", async () => {
    const late = await closedAfter({}, async (gateway, accepted) => {
      const socket = connect(gateway.port);
      socket.write(`${POST}content-length: 2\r\n\r\n{}`);
      await accepted;
      socket.destroy();
    });
    expect(late).toBeLessThan(NOTICED_WITHIN_MS);
  });

  test("that says it will send no more in the middle of an answer", async () => {
    const late = await closedAfter(
      { talk: (say) => say("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nbegun") },
      async (gateway, accepted) => {
        const socket = connect(gateway.port);
        socket.write(`${POST}content-length: 2\r\n\r\n{}`);
        await Promise.all([accepted, once(socket, "data")]);
        socket.end();
      },
    );
    expect(late).toBeLessThan(NOTICED_WITHIN_MS);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["is reset", (socket) => socket.resetAndDestroy()],
    ["says it will send no more", (socket) => socket.end()],
  ])("that %s while it takes nothing of a large answer", async (_, leave) => {
    const large = "x".repeat(16 * 1024 * 1024);
    const late = await closedAfter(
      { talk: (say) => say(`HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n${large}`) },
      async (gateway, accepted) => {
        const socket = connect(gateway.port);
        socket.pause();
        socket.write(`${POST}content-length: 2\r\n\r\n{}`);
        await accepted;
        await sleep(200);
        leave(socket);
      },
    );
    expect(late).toBeLessThan(NOTICED_WITHIN_MS);
  });

  test("that leaves in the middle of a body which goes by as it comes", async () => {
    const late = await closedAfter({ options: { reads: false } }, async (gateway, accepted) => {
      const socket = connect(gateway.port);
      socket.write(`${POST}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`);
      await accepted;
      await sleep(20);
      socket.destroy();
    });
    expect(late).toBeLessThan(NOTICED_WITHIN_MS);
  });
});

test("a request that waits for a connection when its client leaves is never sent", async () => {
  const seen: string[] = [];
  const held: (() => void)[] = [];
  const far = await upstream((request, response) => {
    seen.push(request.url!);
    held.push(() => response.end("done"));
  });
  const gateway = await gatewayTo(far.url, { limits: { upstreamConnections: 1 } });
  const first = fetch(`${gateway.url}/first`);
  await until(() => held[0]);
  const leaving = new AbortController();
  const second = fetch(`${gateway.url}/second`, { signal: leaving.signal }).catch((error: Error) => error.name);
  await until(() => gateway.arrivals[1]);
  leaving.abort();
  expect(await second).toBe("AbortError");
  await until(() => gateway.arrivals[1]!.signal.aborted || undefined);
  const third = fetch(`${gateway.url}/third`);
  await until(() => gateway.arrivals[2]);
  held[0]!();
  await until(() => held[1]);
  held[1]!();
  expect(await Promise.all([first, third].map(async (answer) => (await answer).text()))).toEqual(["done", "done"]);
  expect(seen).toEqual(["/first", "/third"]);
});

/** Interim answers, which a client reads over, taken out. */
function finalAnswer(heard: string): string {
  return heard.replaceAll("HTTP/1.1 100 Continue\r\n\r\n", "");
}

test.each(["1.0", "1.1"])(
  "a client of HTTP/%s that ends its side after its request gets its answer",
  async (version) => {
    const far = await upstream((request, response) => {
      request.resume();
      setTimeout(() => response.end("the whole answer"), 200);
    });
    const gateway = await gatewayTo(far.url);
    const socket = connect({ port: gateway.port, host: "127.0.0.1", allowHalfOpen: true });
    let heard = "";
    socket.on("data", (bytes) => void (heard += bytes.toString()));
    socket.end(`POST /v1/chat/completions HTTP/${version}\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{}`);
    await once(socket, "close");
    expect(finalAnswer(heard)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*the whole answer/);
  },
);
