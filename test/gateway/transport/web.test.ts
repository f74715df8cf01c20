/** The handle as a function of a web request: what embeds it sees what a client over a socket sees. */
import { describe, expect, test } from "vitest";
import type { ClientRequest, RequestHandler } from "../../../src/gateway/contract.ts";
import { webHandle } from "../../../src/gateway/transport/web.ts";
import { gatewayTo, rawUpstream, upstream, bodyOf } from "./standing.ts";

const BASE = "http://gateway.example";

describe("over the transport", () => {
  test("a request and its answer go through as they are", async () => {
    const far = await upstream(async (request, response) => {
      response.setHeader("x-heard", `${request.method} ${request.url} ${request.headers["x-mine"]}`);
      response.writeHead(201, { "set-cookie": ["a=1", "b=2"] });
      response.end(await bodyOf(request));
    });
    const { handle } = await gatewayTo(far.url);
    const answer = await webHandle(handle)(
      new Request(`${BASE}/v1/x?y=1`, { method: "POST", headers: { "x-mine": "1" }, body: "the body" }),
    );
    expect([answer.status, await answer.text()]).toEqual([201, "the body"]);
    expect(answer.headers.get("x-heard")).toBe("POST /v1/x?y=1 1");
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  test.each(["its signal", "its answer's body"])("who leaves by %s takes the call along", async (way) => {
    const closed = Promise.withResolvers<void>();
    const far = await rawUpstream((socket) => {
      socket.on("close", () => closed.resolve());
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nsome"));
    });
    const { handle } = await gatewayTo(far.url);
    const leaving = new AbortController();
    const answer = await webHandle(handle)(new Request(`${BASE}/v1/x`, { signal: leaving.signal }));
    const reader = answer.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("some");
    if (way === "its signal") leaving.abort();
    else await reader.cancel();
    await closed.promise;
  });
});

describe("a handle that", () => {
  const asked = (handle: RequestHandler): Promise<Response> => webHandle(handle)(new Request(`${BASE}/v1/responses`));

  test("answers without a body gives none", async () => {
    const answer = await asked(async () => ({ status: 204, headers: [], body: new Uint8Array() }));
    expect([answer.status, answer.body]).toEqual([204, null]);
  });

  test("rejects is answered for", async () => {
    const answer = await asked(() => Promise.reject(new Error("a fault")));
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ error: { code: "internal_fault" } });
  });

  test("is given a signal that is aborted where its client has left before", async () => {
    let arrival: ClientRequest | undefined;
    const leaving = new AbortController();
    const request = new Request(BASE, { signal: leaving.signal });
    leaving.abort();
    await webHandle(async (one) => {
      arrival = one;
      return { status: 200, headers: [], body: undefined };
    })(request);
    expect(arrival!.signal.aborted).toBe(true);
  });
});
