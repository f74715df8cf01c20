/**
 * The provider of the measurements, in a process of its own: `node upstream.ts` prints its address and answers every
 * request alike, so that whatever differs between two calls is not its doing. Headers of a request say how it is
 * answered: `x-bench-wait-ms` before the first byte, `x-bench-events` of a stream, `x-bench-pace-ms` between them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const ANSWER_CHARS = 1_000;
const CHARS_PER_TOKEN = 4;
const EVENTS_DEFAULT = 20;
const HEAD = { id: "chatcmpl-bench", created: 1_790_000_000, model: "bench" };

const text = "A few words of an answer. ".repeat(ANSWER_CHARS / 26);

createServer((request, response) => {
  // A client that leaves is nobody's failure.
  void answer(request, response).catch(() => response.destroy());
}).listen(0, "127.0.0.1", function listening(this: { address: () => AddressInfo | string | null }) {
  process.stdout.write(`http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0;
  let streamed = false;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    streamed ||= chunk.includes('"stream":true');
  }
  const waitMs = numberOf(request, "x-bench-wait-ms") ?? 0;
  if (waitMs > 0) await pause(waitMs);
  const tokens = Math.ceil(bytes / CHARS_PER_TOKEN);
  const usage = { prompt_tokens: tokens, completion_tokens: 250, total_tokens: tokens + 250 };
  if (streamed) return stream(request, response, usage);
  const message = { role: "assistant", content: text };
  const body = JSON.stringify({
    ...HEAD,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage,
  });
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

async function stream(request: IncomingMessage, response: ServerResponse, usage: object): Promise<void> {
  const paceMs = numberOf(request, "x-bench-pace-ms") ?? 0;
  const count = numberOf(request, "x-bench-events") ?? EVENTS_DEFAULT;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (let at = 0; at < count && !response.destroyed; at += 1) {
    if (at > 0 && paceMs > 0) await pause(paceMs);
    response.write(eventOf({ choices: [{ index: 0, delta: { content: `word ${at} ` }, finish_reason: null }] }));
  }
  response.write(eventOf({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
  response.write(eventOf({ choices: [], usage }));
  response.end("data: [DONE]\n\n");
}

function eventOf(fields: object): string {
  return `data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", ...fields })}\n\n`;
}

function numberOf({ headers }: IncomingMessage, name: string): number | undefined {
  const value = headers[name];
  return value === undefined ? undefined : Number(value);
}
