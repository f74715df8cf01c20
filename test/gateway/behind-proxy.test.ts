/**
 * A gateway that listens on this machine alone, with a reverse proxy beside it: whoever comes through the proxy is a tenant
 * by key. And accounts whose tokens rotate, which are one tenant by a key of the gateway's own.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { ask, bodyOf, PROTOCOLS, worked, type Asking } from "./support/asking.ts";
import { atEnd, stand } from "./support/standing.ts";

const WINDOW_TOKENS = 8_000;
const NAME = "precis.example.com";

/** Passes requests on with these headers beside their own. */
async function proxyTo(url: string, more: OutgoingHttpHeaders): Promise<string> {
  const { port } = new URL(url);
  const server = createServer((client, reply) => {
    const headers = { ...client.headers, ...more };
    const onward = httpRequest(
      { host: "127.0.0.1", port, path: client.url, method: client.method, headers },
      (answer) => {
        reply.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(reply);
      },
    );
    onward.on("error", () => reply.destroy());
    client.pipe(onward);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const standing = (gateway: Partial<GatewayOptions>) =>
  stand({
    provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: "Read." } },
    gateway: { contextLength: WINDOW_TOKENS, tenant: "auto", ...gateway },
  });

/** Which of these found no compaction of the ones before. */
async function fresh(url: string, askings: readonly Partial<Asking>[]): Promise<readonly boolean[]> {
  const found: boolean[] = [];
  for (const asking of askings) {
    const protocol = asking.protocol ?? "openai-chat";
    const told = await ask(url, { protocol, body: bodyOf(protocol, worked("ours", 30)), ...asking });
    expect([told.status, told.treatment]).toEqual([200, expect.stringMatching(/^rewritten/)]);
    found.push(told.treatment.endsWith("fresh"));
  }
  return found;
}

const TWO = [{ key: "sk-alice" }, { key: "sk-bob" }];

describe("behind a proxy of the same machine, two keys", () => {
  it.each<[string, OutgoingHttpHeaders, Partial<GatewayOptions>]>([
    ["by the name that the proxy keeps", { host: NAME }, { allowedHosts: [NAME] }],
    ["by the gateway's name, whatever the proxy adds", { host: "127.0.0.1" }, { allowedHosts: [NAME] }],
    ["by x-forwarded-for", { host: "127.0.0.1", "x-forwarded-for": "203.0.113.9" }, {}],
    ["by one that a client made up", { host: "localhost", "X-Forwarded-For": "127.0.0.1" }, {}],
    ["by forwarded", { host: "localhost", forwarded: "for=203.0.113.9" }, {}],
    ["by via", { host: "localhost", via: "1.1 balancer" }, {}],
  ])("share nothing: %s", async (_, headers, gateway) => {
    const { url } = await standing(gateway);
    expect(await fresh(await proxyTo(url, headers), TWO)).toEqual([true, true]);
  });

  it("share nothing with this machine's own requests, which are one tenant", async () => {
    const { url } = await standing({});
    expect(await fresh(url, TWO)).toEqual([true, false]);
    expect(await fresh(await proxyTo(url, { host: "localhost", "x-forwarded-for": "::1" }), TWO)).toEqual([true, true]);
    expect(await fresh(url, TWO)).toEqual([false, false]);
  });

  it("share what one name for all was chosen for", async () => {
    const { url } = await standing({ allowedHosts: [NAME], tenant: { name: "team" } });
    expect(await fresh(await proxyTo(url, { host: NAME }), TWO)).toEqual([true, false]);
  });

  it("are one tenant where only names of this machine are allowed", async () => {
    const { url } = await standing({ allowedHosts: ["localhost:3000", "host.docker.internal"] });
    expect(await fresh(url, TWO)).toEqual([true, false]);
  });
});

const OWN = "x-precis-key";
const ALICE = "a1".repeat(32);
const BOB = "b2".repeat(32);
const rotating = (own: string) =>
  ["one", "two"].map((token) => ({ key: `oauth-${token}-${own}`, headers: { [OWN]: own } }));
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("tokens of an account that rotate", () => {
  it.each(PROTOCOLS)(
    "keep their conversation by a key of the gateway's own, which no provider gets: %s",
    async (protocol) => {
      const { url, provider } = await standing({ tenant: "per_key" });
      const of = (own: string) => rotating(own).map((one) => ({ ...one, protocol }));
      expect(await fresh(url, [...of(ALICE), ...of(BOB)])).toEqual([true, false, true, false]);
      expect(JSON.stringify(provider.requests)).not.toContain(ALICE);
    },
  );

  it("keep their limits, and nobody else is let in", async () => {
    const keys = { alice: { keys: [sha256(ALICE)], limits: { requestsPerMinute: 2 } } };
    const tenants = { current: () => ({ tenants: keys, others: "refuse" }) as const, problem: () => undefined };
    const { url, store } = await standing({ tenant: "per_key", tenants });
    const protocol = "openai-chat";
    const body = bodyOf(protocol, worked("ours", 1));
    const statuses: number[] = [];
    for (const asking of [...rotating(ALICE), rotating(ALICE)[0]!, ...rotating(BOB)])
      statuses.push((await ask(url, { protocol, body, ...asking })).status);
    expect(statuses).toEqual([200, 200, 429, 401, 401]);
    expect((await store.listTenants()).map(({ tenant }) => tenant)).toEqual(["alice"]);
  });

  it("are not named by a key that can be guessed", async () => {
    const { url, provider } = await standing({ tenant: "per_key" });
    const asking = { protocol: "openai-chat", body: bodyOf("openai-chat", worked("ours", 1)) } as const;
    const { status, text } = await ask(url, { ...asking, headers: { [OWN]: "alice" } });
    expect([status, text]).toEqual([401, expect.stringContaining("short_key")]);
    expect(provider.requests).toEqual([]);
  });
});
