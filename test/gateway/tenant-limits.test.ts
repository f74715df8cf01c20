/** A tenant above its limits is asked to come again, in the words of its protocol; others are answered as ever. */
import { once } from "node:events";
import { createServer, request as requestTo, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { TenantLimitSettings } from "../../src/gateway/tenants/directory.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { atEnd, front, stand } from "./support/standing.ts";

const ANSWER_MS = 150;

/** As each vendor's reference and SDK have it. */
const TYPES_OF_429 = {
  "openai-chat": "requests",
  "openai-responses": "requests",
  "anthropic-messages": "rate_limit_error",
  "google-gemini": "RESOURCE_EXHAUSTED",
};

const small = (protocol: (typeof PROTOCOLS)[number]): string => bodyOf(protocol, worked("limits", 1));

/** A gateway in front of a provider that takes its time. */
async function slowly(tenantLimits: TenantLimitSettings) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => setTimeout(() => response.end("{}"), ANSWER_MS));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return front(`http://127.0.0.1:${port}`, { tenant: "per_key", tenantLimits });
}

describe("a tenant's requests a minute", () => {
  it.each(PROTOCOLS)("are answered with a 429 above the limit, and by and by again: %s", async (protocol) => {
    let clockMs = 1_000_000;
    const { url, provider, events } = await stand({
      provider: { script: { text: "Done." } },
      gateway: { tenant: "per_key", tenantLimits: { requestsPerMinute: 6 }, now: () => clockMs },
    });
    const send = (key: string) => ask(url, { protocol, body: small(protocol), key });
    const statuses = [];
    for (let n = 0; n < 8; n++) statuses.push((await send("a")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    const refused = await send("a");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    expect(refused.text).toContain("more than 6 requests of this key came in a minute");
    expect(refused.text).toContain("Send it again in 10 seconds.");
    const { error } = JSON.parse(refused.text) as {
      readonly error: { readonly type?: string; readonly status?: string };
    };
    expect(error.type ?? error.status).toBe(TYPES_OF_429[protocol]);
    expect((await send("b")).status).toBe(200);
    expect(provider.requests).toHaveLength(7);
    clockMs += 10_000;
    expect([(await send("a")).status, (await send("a")).status]).toEqual([200, 429]);
    const turnedAway = events.filter((event) => event.kind === "request" && event.outcome === "turned_away");
    expect(turnedAway).toHaveLength(4);
  });
});

describe("a tenant's limit, however a path is spelled and whatever it leads to", () => {
  const PATHS = [
    "/v1/messages",
    "/v1/messages/",
    "//v1/messages",
    "/v1/%6dessages",
    "/v1/embeddings",
    "/v1/compress",
    "/v1/retrieve/000000000000000000000000",
    "/upstreams/openai/v1/chat/completions/",
    "/upstreams/nobody/v1/messages",
  ];
  it.each(PATHS)("holds for %s", async (path) => {
    const { url, seen } = await counting({ requestsPerMinute: 5 });
    const method = path.includes("retrieve") ? "GET" : "POST";
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) statuses.push(await asIs(url, { method, path }));
    expect(statuses.filter((status) => status === 429)).toHaveLength(3);
    expect(seen.length).toBeLessThanOrEqual(5);
  });

  it("counts all of them together", async () => {
    const { url, seen } = await counting({ requestsPerMinute: 5 });
    for (const path of PATHS.slice(0, 5)) expect(await asIs(url, { method: "POST", path })).toBe(200);
    for (const path of PATHS.slice(0, 5)) expect(await asIs(url, { method: "POST", path })).toBe(429);
    expect(seen).toHaveLength(5);
  });
});

/** A gateway in front of a provider that takes any path. */
async function counting(tenantLimits: TenantLimitSettings) {
  const seen: string[] = [];
  const server = createServer((arriving, response) => {
    seen.push(arriving.url!);
    arriving.resume().on("end", () => response.end("{}"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => (server.closeAllConnections(), server.close()));
  const { port } = server.address() as AddressInfo;
  return { seen, ...(await front(`http://127.0.0.1:${port}`, { tenant: "per_key", tenantLimits })) };
}

/** The status of a request whose path nothing on the way tidies. */
async function asIs(url: string, { method, path }: { readonly method: string; readonly path: string }) {
  const { hostname: host, port } = new URL(url);
  const headers = { "content-type": "application/json", "x-api-key": "a key" };
  const outgoing = requestTo({ host, port, path, method, headers });
  outgoing.end(method === "POST" ? small("anthropic-messages") : undefined);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode!;
}

describe("a tenant's requests at once", () => {
  it("count until their answers end, and leave others alone", async () => {
    const { url, gateway } = await slowly({ requestsAtOnce: 3 });
    const send = (key: string) => ask(url, { protocol: "openai-chat", body: small("openai-chat"), key });
    const [many, others] = [
      await Promise.all([..."12345678"].map(() => send("a"))),
      await Promise.all([..."123"].map(() => send("b"))),
    ];
    const statuses = many.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect(many.find(({ status }) => status === 429)?.headers.get("retry-after")).toBe("1");
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(gateway.underWay()).toBe(0);
    expect((await send("a")).status).toBe(200);
  });

  it("are free again when a client leaves", async () => {
    const { url, gateway } = await slowly({ requestsAtOnce: 1 });
    for (let n = 0; n < 5; n++) {
      const body = small("openai-chat");
      const headers = { "content-type": "application/json", authorization: "Bearer a" };
      const leaving = fetch(`${url}/v1/chat/completions`, { method: "POST", body, headers, signal: AbortSignal.timeout(60) }); // prettier-ignore
      await expect(leaving).rejects.toThrow(/timeout/);
      await expect.poll(() => gateway.underWay()).toBe(0);
    }
    expect((await ask(url, { protocol: "openai-chat", body: small("openai-chat"), key: "a" })).status).toBe(200);
  });

  it("are no limit where none is set", async () => {
    const { url } = await stand({ provider: { script: { text: "Done." } }, gateway: { tenantLimits: {} } });
    const answers = await Promise.all([..."1234567890"].map(() => ask(url, { protocol: "openai-chat", body: small("openai-chat") }))); // prettier-ignore
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});
