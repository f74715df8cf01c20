/** What goes through the transport comes out as it went in, both ways. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { Agent, request as undiciRequest } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProvider } from "../../../provider/src/index.ts";
import { bodyOf, gatewayTo, rawUpstream, speak, upstream } from "./standing.ts";

const CHAT = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Say it again." }] });
const KEYED = { authorization: "Bearer sk-test", "content-type": "application/json" };

describe("a provider behind the gateway", () => {
  test.each([false, true])("answers as it does itself (streamed: %s)", async (stream) => {
    const provider = createProvider({ seed: 7, now: () => 1_000_000 });
    const twin = createProvider({ seed: 7, now: () => 1_000_000 });
    const [far, near] = [await provider.listen(), await twin.listen()];
    const gateway = await gatewayTo(far.url);
    const body = CHAT.replace("{", `{"stream":${stream},`);
    const [through, direct] = await Promise.all(
      [gateway.url, near.url].map(async (url) => {
        const answer = await undiciRequest(`${url}/v1/chat/completions`, { method: "POST", headers: KEYED, body });
        const { date: _d, "keep-alive": _k, ...headers } = answer.headers;
        return { status: answer.statusCode, headers, text: await answer.body.text() };
      }),
    );
    expect(through).toEqual(direct);
    expect(through!.status).toBe(200);
    expect(provider.requests[0]!.body).toBe(body);
    await Promise.all([far.close(), near.close()]);
  });
});

/** Says what it heard, as it heard it. */
function mirror(): ReturnType<typeof upstream> {
  return upstream(async (request, response) => {
    const body = await bodyOf(request);
    response.setHeader("x-heard", Buffer.from(JSON.stringify([request.method, request.url])).toString("base64url"));
    const told = Buffer.from(JSON.stringify({ raw: request.rawHeaders, body: body.toString("base64") }));
    response.setHeader("content-length", told.length);
    response.end(told);
  });
}

describe("a request", () => {
  test("goes on with its header lines in order, case and number, without those about the connection", async () => {
    const gateway = await gatewayTo((await mirror()).url);
    const said = [
      "POST /v1/chat/completions?a=%20b&a=c HTTP/1.1",
      `Host: 127.0.0.1:${gateway.port}`,
      "Anthropic-Beta: one,two",
      "anthropic-beta: three",
      "Connection: close, X-Private",
      "X-Private: of this connection",
      "Keep-Alive: timeout=9",
      "TE: trailers",
      "Proxy-Authorization: Basic eDp5",
      "X-Precis-Upstream: upstream",
      "x-precis-session: s1",
      "Accept-Encoding: gzip, br",
      "x-latin: \xe9\xff",
      "Content-Length: 2",
    ];
    const heard = await speak(gateway.port, Buffer.from(`${said.join("\r\n")}\r\n\r\n{}`, "latin1"));
    const { raw, body } = JSON.parse(Buffer.from(heard.slice(heard.indexOf("{")), "latin1").toString());
    const kept = raw.slice(raw.indexOf("Anthropic-Beta"));
    expect(kept).toEqual([
      "Anthropic-Beta",
      "one,two",
      "anthropic-beta",
      "three",
      "Accept-Encoding",
      "gzip, br",
      "x-latin",
      "\xe9\xff",
      "content-length",
      "2",
    ]);
    expect(Buffer.from(body, "base64").toString()).toBe("{}");
    const line = /x-heard: (\S+)/.exec(heard)![1]!;
    expect(JSON.parse(Buffer.from(line, "base64url").toString())).toEqual(["POST", "/v1/chat/completions?a=%20b&a=c"]);
    expect(raw.slice(0, 4).map((one: string) => one.toLowerCase())).toEqual([
      "host",
      expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      "connection",
      "keep-alive",
    ]);
  });

  test("may have thousands of header lines", async () => {
    const gateway = await gatewayTo((await mirror()).url);
    const lines = Array.from({ length: 5_000 }, (_, at) => `x: ${at}`);
    const heard = await speak(gateway.port, `GET / HTTP/1.0\r\n${lines.join("\r\n")}\r\n\r\n`);
    const { raw } = JSON.parse(heard.slice(heard.indexOf("{")));
    expect(raw.slice(-2)).toEqual(["x", "4999"]);
  });

  test.each([true, false])("keeps a compressed body as it is (read whole: %s)", async (reads) => {
    const gateway = await gatewayTo((await mirror()).url, { reads });
    const body = gzipSync(CHAT);
    const headers = { ...KEYED, "content-encoding": "gzip" };
    const answer = await undiciRequest(`${gateway.url}/v1/responses`, { method: "POST", headers, body });
    const heard = (await answer.body.json()) as { raw: string[]; body: string };
    expect(heard.body).toBe(body.toString("base64"));
    expect(heard.raw).toContain("content-encoding");
    expect(heard.raw).toContain(String(body.length));
  });

  test.each([true, false])("comes in chunks as well as at once (read whole: %s)", async (reads) => {
    const gateway = await gatewayTo((await mirror()).url, { reads });
    const pieces = Array.from({ length: 200 }, (_, at) => Buffer.alloc(997, at));
    const asking = httpRequest(`${gateway.url}/v1/files`, { method: "POST" });
    for (const piece of pieces) asking.write(piece);
    asking.end();
    const [answer] = await once(asking, "response");
    const heard = JSON.parse((await bodyOf(answer)).toString());
    expect(heard.body).toBe(Buffer.concat(pieces).toString("base64"));
  });

  test("is asked for its body only when that is wanted, and only once", async () => {
    const gateway = await gatewayTo((await mirror()).url);
    const asking = httpRequest(`${gateway.url}/v1/files`, { method: "POST", headers: { expect: "100-continue" } });
    let asked = 0;
    asking.on("continue", () => {
      asked++;
      asking.end("the body");
    });
    asking.flushHeaders();
    const [answer] = await once(asking, "response");
    const heard = JSON.parse((await bodyOf(answer)).toString());
    expect(Buffer.from(heard.body, "base64").toString()).toBe("the body");
    expect(heard.raw.map((one: string) => one.toLowerCase())).not.toContain("expect");
    expect(asked).toBe(1);
  });

  test.each(["GET", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH"])("may be a %s", async (method) => {
    const gateway = await gatewayTo((await mirror()).url);
    const answer = await fetch(`${gateway.url}/v1/models/x?y=1`, { method });
    expect(answer.status).toBe(200);
    const line = answer.headers.get("x-heard")!;
    expect(JSON.parse(Buffer.from(line, "base64url").toString())).toEqual([method, "/v1/models/x?y=1"]);
    const text = await answer.text();
    if (method === "HEAD") expect([text, answer.headers.get("content-length")]).toEqual(["", expect.any(String)]);
    else expect(JSON.parse(text).body).toBe("");
  });

  test("finds the connections of those before it", async () => {
    const far = await mirror();
    const gateway = await gatewayTo(far.url);
    const dispatcher = new Agent({ connections: 1 });
    onTestFinished(() => dispatcher.destroy());
    for (let at = 0; at < 20; at++) {
      const answer = await undiciRequest(`${gateway.url}/v1/x`, { method: "POST", body: CHAT, dispatcher });
      await answer.body.dump();
    }
    expect(far.connections()).toBe(1);
  });
});

describe("an answer", () => {
  test("comes back with its header lines in order, case and number, without those about the connection", async () => {
    const far = await rawUpstream((socket) =>
      socket.once("data", () =>
        socket.write(
          [
            "HTTP/1.1 529 Overloaded here",
            "Request-Id: r1",
            "set-cookie: a=1",
            "Connection: X-Hop",
            "Set-Cookie: b=2; Path=/",
            "X-Hop: of this connection",
            "X-Precis: of another",
            "x-precis-request: of another",
            "x-latin: \xe9",
            "Content-Length: 2\r\n\r\nno",
          ].join("\r\n"),
          "latin1",
        ),
      ),
    );
    const gateway = await gatewayTo(far.url);
    const heard = await speak(gateway.port, "GET /v1/models HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", (text) =>
      text.endsWith("no"),
    );
    const [status, ...lines] = heard.split("\r\n");
    expect(status).toMatch(/^HTTP\/1\.1 529 /);
    expect(lines.slice(0, 5)).toEqual([
      "Request-Id: r1",
      "set-cookie: a=1",
      "Set-Cookie: b=2; Path=/",
      "x-latin: \xe9",
      "Content-Length: 2",
    ]);
    expect(heard).not.toMatch(/another|hop|date:/i);
  });

  test("stays compressed as it is", async () => {
    const bytes = gzipSync(CHAT);
    const far = await upstream((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-length": bytes.length });
      response.end(bytes);
    });
    const gateway = await gatewayTo(far.url);
    const answer = await undiciRequest(`${gateway.url}/v1/x`);
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(Buffer.from(await answer.body.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test("may end with trailers, which end here", async () => {
    const far = await upstream((_, response) => {
      response.writeHead(200, { trailer: "x-sum" });
      response.write("all of it");
      response.addTrailers({ "x-sum": "9" });
      response.end();
    });
    const answer = await undiciRequest(`${(await gatewayTo(far.url)).url}/v1/x`);
    expect(await answer.body.text()).toBe("all of it");
    expect(answer.headers).not.toHaveProperty("trailer");
  });

  test.each([204, 304])("of status %i has no body", async (status) => {
    const far = await upstream((_, response) => response.writeHead(status).end());
    const answer = await undiciRequest(`${(await gatewayTo(far.url)).url}/v1/x`);
    expect([answer.statusCode, await answer.body.text()]).toEqual([status, ""]);
  });

  test("may be announced by others before it", async () => {
    const far = await upstream((_, response) => {
      response.writeEarlyHints({ link: "</x>; rel=preload" });
      response.end("the answer");
    });
    const answer = await undiciRequest(`${(await gatewayTo(far.url)).url}/v1/x`);
    expect(await answer.body.text()).toBe("the answer");
  });

  test("is whole also where its provider ends it by closing", async () => {
    const far = await rawUpstream((socket) =>
      socket.once("data", () => socket.end("HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nold but whole")),
    );
    const answer = await undiciRequest(`${(await gatewayTo(far.url)).url}/v1/x`);
    expect(await answer.body.text()).toBe("old but whole");
  });

  test("goes to a client of HTTP/1.0 as well", async () => {
    const gateway = await gatewayTo((await mirror()).url);
    const heard = await speak(gateway.port, "GET /v1/x HTTP/1.0\r\n\r\n");
    expect(heard).toMatch(/^HTTP\/1\.1 200 /);
    expect(heard).toMatch(/"body":""\}$/);
  });

  test("is one for each of several requests sent at once", async () => {
    const gateway = await gatewayTo((await mirror()).url);
    const socket = connect(gateway.port);
    onTestFinished(() => void socket.destroy());
    const one = (name: string): string =>
      `POST /${name} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1\r\n\r\n${name[0]}`;
    socket.write(one("first") + one("second") + one("third"));
    let heard = "";
    for await (const bytes of socket) {
      heard += (bytes as Buffer).toString();
      if (heard.split("HTTP/1.1 200").length === 4 && heard.endsWith("}")) break;
    }
    const bodies = [...heard.matchAll(/"body":"([^"]+)"/g)].map(([, body]) => Buffer.from(body!, "base64").toString());
    expect(bodies).toEqual(["f", "s", "t"]);
  });
});
