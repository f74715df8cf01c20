/** What goes wrong at a provider: told in the words of the request's protocol, and a cut answer is cut for the client. */
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { request as undiciRequest } from "undici";
import { describe, expect, test } from "vitest";
import { createProvider } from "../../../provider/src/index.ts";
import { bodyOf, gatewayTo, rawUpstream, speak, type StandingOptions } from "./standing.ts";

async function deadUrl(): Promise<string> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}`;
}

async function silent(bytes = ""): Promise<string> {
  const far = await rawUpstream((socket) => socket.once("data", () => void socket.write(bytes)));
  return far.url;
}

async function closing(bytes: string): Promise<string> {
  const far = await rawUpstream((socket) => socket.once("data", () => socket.end(bytes)));
  return far.url;
}

const limits = { upstreamHeadersTimeoutMs: 300, upstreamIdleTimeoutMs: 300, connectTimeoutMs: 300 };

describe.each([
  ["/v1/chat/completions", (code: string) => ({ error: { type: "server_error", param: null, code } })],
  ["/v1/messages", (code: string) => ({ type: "error", error: { code } })],
])("on %s", (route, shape) => {
  test.each<[string, () => Promise<string>, number, string]>([
    ["is not there", deadUrl, 502, "upstream_unreachable"],
    ["has a name that nobody knows", async () => "http://nobody.invalid", 502, "upstream_unreachable"],
    ["says nothing", silent, 504, "upstream_timeout"],
    ["closes at once", () => closing(""), 502, "upstream_broke_off"],
    ["closes within its headers", () => closing("HTTP/1.1 200 OK\r\nconte"), 502, "upstream_broke_off"],
    ["speaks something else", () => closing("SSH-2.0-OpenSSH_9.9\r\n"), 502, "upstream_broke_off"],
    [
      "has headers without end",
      () => silent(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(99_000)}\r\n`),
      502,
      "upstream_broke_off",
    ],
  ])("a provider that %s", async (_, url, status, code) => {
    const gateway = await gatewayTo(await url(), { limits });
    const answer = await undiciRequest(`${gateway.url}${route}`, { method: "POST", body: "{}" });
    const told = (await answer.body.json()) as { error: { message: string } };
    expect(answer.statusCode).toBe(status);
    expect(told).toMatchObject(shape(code));
    expect(told.error.message).toMatch(/^precis: .+\. .+\.$/);
  });
});

/** How an answer that begins well ends. */
async function read(url: string, options: StandingOptions = {}): Promise<{ text: string; cut: boolean }> {
  const gateway = await gatewayTo(url, options);
  const answer = await undiciRequest(`${gateway.url}/v1/x`, { method: "POST", body: "{}" });
  let text = "";
  try {
    for await (const bytes of answer.body) text += String(bytes);
    return { text, cut: false };
  } catch {
    return { text, cut: true };
  }
}

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

describe("an answer that breaks off in its midst is cut, after what came", () => {
  test("of a known length", async () => {
    const url = await closing("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf of it");
    expect(await read(url)).toEqual({ text: "half of it", cut: true });
  });

  test("in chunks", async () => {
    expect(await read(await closing(`${CHUNKED}a\r\nhalf of it\r\n`))).toEqual({ text: "half of it", cut: true });
  });

  test("in chunks that are none", async () => {
    expect(await read(await silent(`${CHUNKED}a\r\nhalf of it\r\nzz\r\n`))).toEqual({ text: "half of it", cut: true });
  });

  test("because it went silent", async () => {
    const { text, cut } = await read(await silent(`${CHUNKED}a\r\nhalf of it\r\n`), { limits });
    expect([text, cut]).toEqual(["half of it", true]);
  });

  test("by a reset", async () => {
    const far = await rawUpstream((socket) =>
      socket.once("data", async () => {
        socket.write(`${CHUNKED}a\r\nhalf of it\r\n`);
        await sleep(50);
        socket.resetAndDestroy();
      }),
    );
    expect(await read(far.url)).toEqual({ text: "half of it", cut: true });
  });

  test("of the strict provider", async () => {
    const provider = createProvider({ script: { text: "one two three four", fault: { kind: "cut" } } });
    const far = await provider.listen();
    const gateway = await gatewayTo(far.url);
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test" },
      body: JSON.stringify({ model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Go on." }] }),
    });
    await expect(answer.text()).rejects.toThrow("terminated");
    expect(provider.requests[0]!.outcome).toBe("cut");
    await far.close();
  });
});

test("the body of a broken answer leaves the gateway as it was", async () => {
  let broken = true;
  const far = await rawUpstream((socket) =>
    socket.on("data", () => {
      if (!broken) return void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      broken = false;
      socket.end(`${CHUNKED}a\r\nhalf of it\r\n`);
    }),
  );
  const gateway = await gatewayTo(far.url);
  await speak(gateway.port, "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
  const answer = await undiciRequest(gateway.url);
  expect((await bodyOf(answer.body)).toString()).toBe("ok");
});
