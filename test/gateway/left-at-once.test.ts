/** Clients that close their connection as soon as they have the whole answer: their requests were answered, and are kept. */
import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { GatewayEvent, RequestEvent } from "../../src/gateway/contract.ts";
import { openSqliteStore } from "../../src/store/index.ts";
import { largeSource } from "./support/large-options.ts";
import { atEnd, front, temporaryFolder, TENANT } from "./support/standing.ts";

const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Go." }] });
const DONE = "data: [DONE]\n\n";

/** An upstream that does not end its connection for a while after it has said all. */
async function upstream(pieces: readonly string[], type: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on("end", async () => {
      response.writeHead(200, { "content-type": type });
      for (const piece of pieces) response.write(piece);
      if (type.includes("stream")) await pause(300);
      response.end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Reads until that was said, and closes the connection in the same moment. */
async function leaveAt(url: string, body: string, said: string): Promise<void> {
  const asking = httpRequest(`${url}/v1/chat/completions`, {
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json", authorization: "Bearer k" },
  });
  asking.on("error", () => undefined).end(body);
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of answer.on("error", () => undefined)) {
    text += String(chunk);
    if (text.includes(said)) break;
  }
  answer.socket.destroy();
}

const outcomes = (events: readonly GatewayEvent[]): readonly string[] =>
  events.filter((event): event is RequestEvent => event.kind === "request").map(({ outcome }) => outcome);

const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 1 } })}\n\n`;

describe("a client that leaves with the whole answer", () => {
  it("was answered, also where a stream's connection has not ended yet", async () => {
    const { url, events } = await front(
      await upstream([chunk({ role: "assistant", content: "Yes." }), USAGE, DONE], "text/event-stream"),
    );
    for (let n = 0; n < 5; n++) await leaveAt(url, BODY, DONE);
    await vi.waitFor(() => expect(outcomes(events)).toEqual(Array<string>(5).fill("answered")));
    expect(events.find(({ kind }) => kind === "request")).toMatchObject({ usage: { input: 7 } });
  });

  it("was not answered where some of it is still to come", async () => {
    const { url, events } = await front(
      await upstream([chunk({ role: "assistant", content: "Yes." })], "text/event-stream"),
    );
    await leaveAt(url, BODY, "Yes.");
    await vi.waitFor(() => expect(outcomes(events)).toEqual(["aborted"]));
  });

  it("was answered by the thread for large requests too", async () => {
    const answer = JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content: "Yes." } }] });
    const to = await upstream([answer], "application/json");
    const path = join(temporaryFolder(), "history.db");
    const options = { upstreams: { openai: { url: to } }, tenant: { name: TENANT } } as const;
    const store = await openSqliteStore({ path });
    atEnd(store.close);
    const { url, events } = await front(to, { store, largeRequests: largeSource({ path, options }) });
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "word ".repeat(120_000) }] });
    for (let n = 0; n < 8; n++) await leaveAt(url, body, "Yes.");
    await vi.waitFor(() => expect(outcomes(events)).toEqual(Array<string>(8).fill("answered")), { timeout: 5_000 });
  });
});
