/** A web page that somebody visits reaches neither models nor conversations; the clients that people use do. */
import { request as httpRequest } from "node:http";
import { describe, expect, it, test } from "vitest";
import { callerRefusal } from "../../../src/gateway/transport/callers.ts";
import { ask, bodyOf, worked } from "../support/asking.ts";
import { stand } from "../support/standing.ts";
import { gatewayTo, upstream } from "./standing.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const CHAT = "/v1/chat/completions";

type Lines = Readonly<Record<string, string>>;

interface Answered {
  readonly status: number;
  readonly body: string;
}

/** As the bytes say: `fetch` would set Host and Origin itself. */
function send(url: string, headers: Lines, { method = "POST", path = CHAT } = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asking = httpRequest(url + path, { method, headers, agent: false, setDefaultHeaders: "host" in headers });
    asking.on("error", reject).on("response", (answer) => {
      let body = "";
      answer.on("data", (bytes: Buffer) => void (body += bytes.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode!, body }));
    });
    asking.end(method === "POST" ? '{"model":"m","messages":[]}' : undefined);
  });
}

const JSON_BODY = { "content-type": "application/json", "content-length": "27" };

async function counting(allowedHosts: readonly string[] = []) {
  let seen = 0;
  const far = await upstream((request, response) => {
    seen++;
    request.resume();
    response.end("{}");
  });
  const gateway = await gatewayTo(far.url, { allowedHosts });
  return { url: gateway.url, port: gateway.port, seen: () => seen };
}

describe("on this machine", () => {
  test.each<[string, string, Lines]>([
    ["foreign_host", "another name of this machine", { ...JSON_BODY, host: "evil.example:4020" }],
    ["foreign_host", "a name that begins like one of ours", { ...JSON_BODY, host: "localhost.evil.example" }],
    ["foreign_host", "a name that begins like an address of ours", { ...JSON_BODY, host: "127.0.0.1.evil.example" }],
    ["foreign_origin", "a page of another site", { ...JSON_BODY, host: "localhost", origin: "https://evil.example" }],
    ["foreign_origin", "a page without an origin", { ...JSON_BODY, host: "localhost", origin: "null" }],
    ["foreign_origin", "a page of another port", { ...JSON_BODY, host: "localhost:1", origin: "http://localhost:2" }],
    [
      "foreign_origin",
      "what a page sends without asking first",
      { host: "127.0.0.1", "content-type": "text/plain", "content-length": "27", origin: "https://evil.example" },
    ],
    ["foreign_origin", "what a page embeds", { ...JSON_BODY, host: "127.0.0.1", "sec-fetch-site": "cross-site" }],
    [
      "json_needed",
      "a browser's form",
      { host: "127.0.0.1", "content-type": "text/plain;charset=UTF-8", "content-length": "27", "user-agent": BROWSER },
    ],
  ])("%s: %s is refused on every route", async (code, _, headers) => {
    const { url, seen } = await counting();
    for (const path of [CHAT, "/v1/messages", "/v1/models", "/upstreams/upstream/v1/responses"]) {
      const { status, body } = await send(url, headers, { path });
      expect([status, JSON.parse(body)]).toEqual([
        code === "json_needed" ? 415 : 403,
        expect.objectContaining({ error: expect.objectContaining({ code }) as unknown }),
      ]);
    }
    expect(seen()).toBe(0);
  });

  test("what a page embeds, or asks leave for, is refused as well", async () => {
    const { url, seen } = await counting();
    const embedded = { host: "127.0.0.1", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await send(url, embedded, { method: "GET", path: "/v1/models" })).status).toBe(403);
    const asking = { host: "127.0.0.1", origin: "https://evil.example", "access-control-request-method": "POST" };
    expect((await send(url, asking, { method: "OPTIONS" })).status).toBe(403);
    expect(seen()).toBe(0);
  });

  test.each<[string, Lines]>([
    ["an SDK", { ...JSON_BODY, host: "127.0.0.1:4020", "user-agent": "OpenAI/JS 6.9.1" }],
    ["curl without a content type", { host: "localhost:4020", "user-agent": "curl/8.5.0", "content-length": "27" }],
    ["a client on IPv6", { ...JSON_BODY, host: "[::1]:4020" }],
    ["a client in a container", { ...JSON_BODY, host: "host.docker.internal:4020" }],
    ["a page of the gateway itself", { ...JSON_BODY, host: "localhost:4020", origin: "http://localhost:4020" }],
  ])("%s passes", async (_, headers) => {
    const { url, seen } = await counting();
    expect((await send(url, headers)).status).toBe(200);
    expect(seen()).toBe(1);
  });

  test("a listed name passes, with or without a port, and so do the pages of a listed site", async () => {
    const { url } = await counting(["precis.example", "pages.example:3000"]);
    const status = async (host: string, origin?: string): Promise<number> =>
      (await send(url, { ...JSON_BODY, host, ...(origin === undefined ? {} : { origin }) })).status;
    expect(await status("Precis.Example:8443")).toBe(200);
    expect(await status("precis.example", "https://precis.example")).toBe(200);
    expect(await status("127.0.0.1", "http://pages.example:3000")).toBe(200);
    expect(await status("127.0.0.1", "http://pages.example")).toBe(403);
    expect(await status("other.example")).toBe(403);
  });

  it("has nothing of what a page sent in its history", async () => {
    const { url, store, provider } = await stand();
    const body = bodyOf("openai-chat", worked("planted", 3));
    const told = await ask(url, { protocol: "openai-chat", body, headers: { origin: "https://evil.example" } });
    expect(told.status).toBe(403);
    expect([provider.requests.length, await store.listTenants()]).toEqual([0, []]);
  });
});

test("beyond this machine every name will do until some are listed, and no page of another site", () => {
  const code = (headers: Lines, allowedHosts: readonly string[] = []) =>
    callerRefusal({ method: "GET", headers: Object.entries(headers) }, { loopback: false, allowedHosts })?.code;
  expect(code({ host: "precis.internal" })).toBeUndefined();
  expect(code({ host: "precis.internal" }, ["gateway.internal"])).toBe("foreign_host");
  expect(code({ host: "gateway.internal" }, ["gateway.internal"])).toBeUndefined();
  expect(code({ host: "precis.internal", origin: "https://evil.example" })).toBe("foreign_origin");
});

describe("a path that looks like the gateway's own routes", () => {
  test.each([
    "//_precis/metrics",
    "/_PRECIS/metrics",
    "/%5fprecis/metrics",
    "/%255fprecis/",
    "/_precis;x/api",
    "/%25%35%66precis/",
    "/%25252525255fprecis/",
    "/%5fprecis/%ff",
  ])("%s goes to no provider, with or without the operator's token", async (path) => {
    let seen = 0;
    const far = await upstream((request, response) => {
      seen++;
      request.resume();
      response.end("{}");
    });
    const gateway = await gatewayTo(far.url, { own: () => new Response("own") });
    const headers = { host: "127.0.0.1", authorization: "Bearer operators-token" };
    const { status } = await send(gateway.url, headers, { method: "GET", path });
    expect([status >= 400 && status < 500, seen]).toEqual([true, 0]);
    expect((await send(gateway.url, headers, { method: "GET", path: "/_precis/" })).body).toBe("own");
  });
});
