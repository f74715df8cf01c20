/** An upstream that is away, and too much work, stop nothing else: the circuit breaker and load shedding. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { GatewayEvent } from "../../src/gateway/contract.ts";
import { createOverload } from "../../src/gateway/request/overload.ts";
import { createMetrics } from "../../src/gateway/operation/metrics.ts";
import { createMemoryStore } from "../../src/store/index.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { freePort } from "../support/free-port.ts";
import { atEnd, front, stand } from "./support/standing.ts";

const small = (protocol: (typeof PROTOCOLS)[number]): string => bodyOf(protocol, worked("protection", 1));
const codes = (events: readonly GatewayEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "notice" ? [event.code] : []));

describe("an upstream that cannot be reached", () => {
  it.each(PROTOCOLS)("is not tried for a while, and once it answers again all is as before: %s", async (protocol) => {
    let clockMs = 1_000_000;
    const port = await freePort();
    const limits = { breakerFailures: 3, breakerOpenMs: 10_000 };
    const { url, events } = await front(`http://127.0.0.1:${port}`, { limits, now: () => clockMs });
    const send = () => ask(url, { protocol, body: small(protocol) });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await send()).status);
    expect(statuses).toEqual([502, 502, 502, 503, 503]);
    const refused = await send();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(refused.text).toContain("has not been reachable lately. Send the request again in 10 seconds.");
    clockMs += 10_000;
    // The gateway connects by itself, and finds it still away.
    expect([(await send()).status, (await send()).status]).toEqual([503, 503]);
    clockMs += 10_000;
    let calls = 0;
    const server = createServer((request, response) => {
      calls += 1;
      request.resume().on("end", () => response.end("{}"));
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    atEnd(() => (server.closeAllConnections(), server.close()));
    expect([(await send()).status, (await send()).status, calls]).toEqual([200, 200, 2]);
    expect(codes(events)).toEqual(["circuit_open", "circuit_closed"]);
  });

  it("stops no other upstream, and an answer with an error is an answer", async () => {
    const failing = createServer((request, response) => {
      request.resume().on("end", () => response.writeHead(529).end("{}"));
    }).listen(0, "127.0.0.1");
    await once(failing, "listening");
    atEnd(() => (failing.closeAllConnections(), failing.close()));
    const { url } = await front("", {
      upstreams: {
        openai: { url: `http://127.0.0.1:${(failing.address() as AddressInfo).port}` },
        anthropic: { url: `http://127.0.0.1:${await freePort()}` },
      },
      limits: { breakerFailures: 2 },
    });
    const send = async (protocol: "openai-chat" | "anthropic-messages") =>
      (await ask(url, { protocol, body: small(protocol) })).status;
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push(await send("anthropic-messages"), await send("openai-chat"));
    expect(statuses).toEqual([502, 529, 502, 529, 503, 529, 503, 529]);
  });
});

describe("an upstream that was away for a moment", () => {
  it("lets everybody through once a connection is there, however long the first answer takes", async () => {
    let clockMs = 1_000_000;
    const port = await freePort();
    const { url, events } = await front(`http://127.0.0.1:${port}`, {
      limits: { breakerFailures: 2 },
      now: () => clockMs,
    });
    const send = (text: string) => ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked(text, 1)) });
    expect([(await send("a")).status, (await send("b")).status, (await send("c")).status]).toEqual([502, 502, 503]);
    let answerSlow = (): void => undefined;
    const slowIsThere = new Promise<void>((there) => {
      const server = createServer((request, response) => {
        const read: Buffer[] = [];
        request
          .on("data", (chunk: Buffer) => void read.push(chunk))
          .on("end", () => {
            if (!Buffer.concat(read).includes("Read all of slow")) return void response.end("{}");
            answerSlow = () => void response.end("{}");
            there();
          });
      }).listen(port, "127.0.0.1");
      atEnd(() => (server.closeAllConnections(), server.close()));
    });
    clockMs += 10_000;
    const slow = send("slow");
    await slowIsThere;
    const others = await Promise.all(Array.from({ length: 12 }, (_, n) => send(`other ${n}`)));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    answerSlow();
    expect((await slow).status).toBe(200);
    expect(codes(events)).toEqual(["circuit_open", "circuit_closed"]);
  });

  it("connects once for all that come meanwhile, and sends nothing by itself", async () => {
    let clockMs = 1_000_000;
    const port = await freePort();
    const limits = { breakerFailures: 1, breakerOpenMs: 1_000 };
    const { url } = await front(`http://127.0.0.1:${port}`, { limits, now: () => clockMs });
    const send = () => ask(url, { protocol: "openai-chat", body: small("openai-chat") });
    expect((await send()).status).toBe(502);
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.method);
      request.resume().on("end", () => response.end("{}"));
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    atEnd(() => (server.closeAllConnections(), server.close()));
    clockMs += 1_000;
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(seen).toEqual(answers.map(() => "POST"));
  });
});

describe("an upstream that takes connections and does not answer one tenant in time", () => {
  it("is closed to that tenant alone, which may try again each time the wait is over", async () => {
    let clockMs = 1_000_000;
    const server = createServer((request, response) => {
      request.resume().on("end", () => request.headers["x-api-key"] === "quick" && response.end("{}"));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    atEnd(() => (server.closeAllConnections(), server.close()));
    const { url, events } = await front(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      tenant: "per_key",
      limits: { breakerFailures: 2, upstreamHeadersTimeoutMs: 50 },
      now: () => clockMs,
    });
    const send = async (key: string) =>
      (await ask(url, { protocol: "anthropic-messages", body: small("anthropic-messages"), key })).status;
    expect([await send("stuck"), await send("stuck"), await send("stuck")]).toEqual([504, 504, 503]);
    expect([await send("quick"), await send("quick")]).toEqual([200, 200]);
    clockMs += 10_000;
    expect([await send("stuck"), await send("stuck"), await send("quick")]).toEqual([504, 503, 200]);
    const notices = events.flatMap((event) => (event.kind === "notice" ? [[event.code, event.tenant !== ""]] : []));
    expect(notices).toEqual([["circuit_open", true]]);
  });
});

describe("too much work", () => {
  it.each(PROTOCOLS)("has requests forwarded unread, and says so: %s", async (protocol) => {
    const memory = createMemoryStore();
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    let waits = true;
    const store = {
      ...memory,
      findCompaction: async (...given: Parameters<typeof memory.findCompaction>) => {
        if (waits) await held;
        return memory.findCompaction(...given);
      },
    };
    const { url, provider, events } = await stand({
      provider: { script: { text: "Done." } },
      gateway: { store, limits: { preparing: 2 } },
    });
    const send = () => ask(url, { protocol, body: small(protocol) });
    const slow = [send(), send()];
    await expect.poll(async () => (await send()).treatment).toBe("untouched; because=overloaded");
    expect(provider.requests.every(({ status }) => status === 200)).toBe(true);
    waits = false;
    release();
    expect((await Promise.all(slow)).map(({ treatment }) => treatment)).toEqual(["unchanged", "unchanged"]);
    expect((await send()).treatment).toBe("unchanged");
    expect(codes(events)).toEqual(["overloaded", "overloaded"]);
    const metrics = createMetrics({ upstreams: ["openai", "anthropic", "google"], processMetrics: false });
    events.forEach(metrics.onEvent);
    expect(await metrics.text()).toMatch(/precis_untouched_total\{because="overloaded"\} [1-9]/);
  });

  it("begins with an event loop that is late for seconds, not with one long task, and ends well below the limit", async () => {
    const events: GatewayEvent[] = [];
    let delayMs = 0;
    const limits = { eventLoopDelayMs: 100, preparing: 1_000 };
    const overload = createOverload({
      limits,
      onEvent: (event) => void events.push(event),
      delayMs: () => delayMs,
      lookMs: 0,
    });
    const answers = [20, 99, 100, 60, 49, 99].map((now) => {
      delayMs = now;
      return overload.isOver();
    });
    expect(answers).toEqual([false, false, true, true, false, false]);
    expect(codes(events)).toEqual(["overloaded", "overloaded"]);
    const real = createOverload({ limits, onEvent: () => undefined, lookMs: 300 });
    atEnd(real.close);
    const block = (ms: number): void => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    };
    const until = performance.now() + 1_200;
    let wasOver = false;
    while (performance.now() < until) {
      block(250);
      await new Promise((next) => setTimeout(next, 1));
      wasOver ||= real.isOver();
    }
    expect(wasOver).toBe(true);
    await expect.poll(() => real.isOver(), { timeout: 10_000, interval: 50 }).toBe(false);
  });
});
