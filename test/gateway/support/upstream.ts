/** An upstream that says exactly what a test wants said, piece by piece, and keeps what it was sent. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./standing.ts";

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after another. */
  readonly pieces: readonly string[];
}

export interface Got {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty where only sums are kept. */
  readonly body: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Upstream {
  readonly url: string;
  readonly got: readonly Got[];
}

const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** `reply` is asked with the number of the request, from 0. */
export async function upstreamOf(reply: (at: number, got: Got) => Reply | Promise<Reply>): Promise<Upstream> {
  const got: Got[] = [];
  // Node closes idle connections after 5 s, and a busy machine takes longer between two requests.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one = await taken(request).catch(() => undefined);
    if (one === undefined) return void response.destroy();
    const at = got.push(one) - 1;
    const { status = 200, headers = { "content-type": "application/json" }, pieces } = await reply(at, one);
    response.writeHead(status, headers);
    for (const piece of pieces) {
      response.write(piece);
      // Each in a chunk of its own.
      await new Promise((next) => setImmediate(next));
    }
    return void response.end();
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

async function taken(request: IncomingMessage): Promise<Got> {
  const sum = createHash("sha256");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sum.update(chunk);
    bytes += chunk.length;
    if (bytes <= KEPT_BYTES_MAX) chunks.push(chunk);
  }
  const body = bytes <= KEPT_BYTES_MAX ? Buffer.concat(chunks).toString() : "";
  return { url: request.url ?? "", headers: request.headers, body, bytes, sha256: sum.digest("hex") };
}

export const EVENT_STREAM = { "content-type": "text/event-stream; charset=utf-8" };
