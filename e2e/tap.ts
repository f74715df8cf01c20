/** Stands between a client and the gateway and writes down what the one sent and the other answered; changes nothing. */
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync, zstdDecompressSync } from "node:zlib";

/** One request of a client, and what it was answered. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, decompressed. */
  readonly body: string;
  status: number;
  /** The gateway's word on what it did. */
  treatment: string;
  /** The gateway's id of the request. */
  id: string;
  /** The answer's text. */
  answer: string;
  /** The client left before the answer was whole. */
  aborted: boolean;
}

export interface Tap {
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  readonly close: () => Promise<void>;
}

export async function openTap(target: string): Promise<Tap> {
  const exchanges: Exchange[] = [];
  const { hostname, port } = new URL(target);
  const server = createServer((request, response) => {
    relay(request, response, { hostname, port, exchanges }).catch((error: unknown) => response.destroy(error as Error));
  });
  // A client may wait long for its model.
  server.requestTimeout = 0;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

interface Relay {
  readonly hostname: string;
  readonly port: string;
  readonly exchanges: Exchange[];
}

async function relay(
  request: IncomingMessage,
  response: ServerResponse,
  { hostname, port, exchanges }: Relay,
): Promise<void> {
  const raw = await bytesOf(request);
  const { method = "GET", url: path = "/", headers } = request;
  const exchange: Exchange = {
    method,
    path,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: textOf(raw, headers["content-encoding"]),
    status: 0,
    treatment: "",
    id: "",
    answer: "",
    aborted: false,
  };
  exchanges.push(exchange);
  const { host: _, "transfer-encoding": _t, ...onward } = headers;
  const answered = await new Promise<IncomingMessage>((done, failed) => {
    const outgoing = ask(
      { hostname, port, method, path, headers: { ...onward, "content-length": raw.length }, agent: false },
      done,
    );
    outgoing.once("error", failed);
    response.once("close", () => {
      exchange.aborted = !response.writableFinished;
      if (exchange.aborted) outgoing.destroy();
    });
    outgoing.end(raw);
  });
  exchange.status = answered.statusCode ?? 0;
  exchange.treatment = String(answered.headers["x-precis"] ?? "");
  exchange.id = String(answered.headers["x-precis-request"] ?? "");
  response.writeHead(exchange.status, answered.headers);
  const pieces: Buffer[] = [];
  for await (const piece of answered) {
    pieces.push(piece as Buffer);
    response.write(piece);
  }
  exchange.answer = Buffer.concat(pieces).toString("utf8");
  response.end();
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function textOf(raw: Buffer, encoding: string | undefined): string {
  const plain = encoding === "gzip" ? gunzipSync(raw) : encoding === "zstd" ? zstdDecompressSync(raw) : raw;
  return plain.toString("utf8");
}
