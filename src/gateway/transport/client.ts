/** A request of Node's server as a `ClientRequest`: its body waits until it is asked for, its signal says that the client left. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClientRequest, Bytes, Load, ClientResponse } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import { clientDisconnected } from "./failures.ts";
import { Flow } from "./flow.ts";
import { headerLines, flatHeaders, headerOf } from "./headers.ts";
import { gatewayBusy, refuseError } from "./refusals.ts";

export function createLoad({ bodiesBytes }: Pick<GatewayLimits, "bodiesBytes">): Load {
  let held = 0;
  return {
    take: (bytes) => {
      if (held + bytes > bodiesBytes) return false;
      held += bytes;
      return true;
    },
    release: (bytes) => void (held -= bytes),
  };
}

/** The share of one request, which is given back when its answer is over; what comes after that goes by uncounted. */
function shareOf(load: Load, response: ServerResponse): Load {
  let held = 0;
  const release = (bytes: number): void => {
    const given = Math.min(bytes, held);
    held -= given;
    load.release(given);
  };
  response.once("close", () => release(held));
  return {
    take: (bytes) => {
      if (response.closed) return true;
      if (!load.take(bytes)) return false;
      held += bytes;
      return true;
    },
    release,
  };
}

interface ClientRequestOptions {
  readonly load: Load;
  /** No more than this is counted for one request: a larger body is refused, or goes by without being held. */
  readonly bodyBytes: number;
  /** The client waits for a `100 Continue` before it sends its body. */
  readonly expectsContinue: boolean;
}

export function clientRequestOf(
  request: IncomingMessage,
  response: ServerResponse,
  options: ClientRequestOptions,
): ClientRequest {
  const gone = new AbortController();
  const { socket } = request;
  const leave = (): void => gone.abort(clientDisconnected());
  let probing: NodeJS.Timeout | undefined;
  // A client that ends its side while it takes its answer has left, although the connection stays until it took what
  // was written. One that does so right after its request may still be waiting for the answer.
  const ended = (): void => {
    if (response.headersSent || !request.complete) return leave();
    if (request.httpVersion !== "1.0") probing = probe(response);
  };
  socket.once("end", ended);
  response.once("close", () => {
    clearInterval(probing);
    socket.off("end", ended);
    if (!response.writableFinished) leave();
  });
  const load = shareOf(options.load, response);
  return {
    method: request.method ?? "GET",
    target: request.url ?? "/",
    headers: headerLines(request.rawHeaders),
    body: hasBody(request) ? openBody(request, response, { ...options, load }) : undefined,
    load,
    signal: gone.signal,
  };
}

/** How often a client that ended its side is asked whether it is still there. */
const PROBE_EVERY_MS = 25;
const PROBES_MAX = 4;

/**
 * An interim answer, which every client of HTTP/1.1 reads over (RFC 9110, 15.2). To a client that is gone it cannot be
 * delivered, and writing after that closes the connection; nothing else distinguishes it from one that only ended its side.
 */
function probe(response: ServerResponse): NodeJS.Timeout {
  let sent = 0;
  const send = (): void => {
    if (response.headersSent || response.destroyed || sent++ >= PROBES_MAX) clearInterval(timer);
    else response.writeContinue();
  };
  const timer = setInterval(send, PROBE_EVERY_MS);
  send();
  return timer;
}

/** As HTTP/1.1 has it: a request without either header has none. */
function hasBody({ headers }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined) return true;
  const length = headers["content-length"];
  return length !== undefined && length !== "0";
}

/**
 * Whoever stops reading leaves the connection as it is, so that an answer can still be sent: Node's own iterator would
 * destroy it.
 */
function openBody(request: IncomingMessage, response: ServerResponse, options: ClientRequestOptions): Bytes {
  const { load, bodyBytes, expectsContinue } = options;
  let counted = 0;
  const count = (bytes: number): boolean => {
    const more = Math.min(bytes, bodyBytes - counted);
    if (!load.take(more)) return false;
    counted += more;
    return true;
  };
  const stop = (): void => {
    request.off("data", read);
    request.pause();
  };
  const release = (): void => {
    load.release(counted);
    counted = 0;
  };
  const read = (chunk: Buffer): void => {
    if (count(chunk.length)) return flow.push(chunk);
    stop();
    // What came of a refused body is dropped: its share is for the others, which are not refused with it.
    release();
    flow.end(gatewayBusy());
  };
  const gone = (): void => {
    if (!flow.ended) flow.end(clientDisconnected());
  };
  const flow = new Flow({
    start: () => {
      if (request.destroyed) return gone();
      if (expectsContinue) response.writeContinue();
      request
        .on("data", read)
        .once("end", () => flow.end())
        .on("error", gone)
        .once("close", gone);
    },
    pause: () => void request.pause(),
    resume: () => void request.resume(),
    cancel: stop,
  });
  return flow;
}

// A `ClientResponse` written to Node's response: at the client's pace, without delay, and cut where its body is cut.

export interface PendingResponse {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: ClientRequest;
  /** A client that takes nothing for this long is given up. */
  readonly clientIdleTimeoutMs: number;
  /** The connection is not to be used again. */
  readonly last: boolean;
}

/** Of a body that nobody wants this much is still read, so that its sender comes to read the answer. */
const UNWANTED_BYTES = 128 * 1024 * 1024;
const UNWANTED_MS = 2_000;

/** What goes wrong is answered where nothing was answered yet; else the answer is cut. */
export async function answer(pending: PendingResponse, reply: ClientResponse): Promise<void> {
  const { response, client } = pending;
  try {
    await write(pending, reply);
  } catch (error) {
    if (response.destroyed) return;
    if (response.headersSent) cut(pending);
    else await write(pending, refuseError(client, error));
  }
}

function write(pending: PendingResponse, reply: ClientResponse): Promise<void> {
  const { body } = reply;
  if (body !== undefined && !(body instanceof Uint8Array)) return relay(pending, reply, body);
  begin(pending, reply);
  return end(pending, body);
}

async function relay(pending: PendingResponse, reply: ClientResponse, body: Bytes): Promise<void> {
  const { response } = pending;
  // A body that comes with its headers leaves with them, in one packet; one that takes its time does not hold them up.
  const early = setImmediate(() => beginEarly(pending, reply));
  try {
    for await (const chunk of body) {
      if (response.destroyed) return;
      begin(pending, reply);
      if (!response.write(chunk)) await drained(pending);
    }
  } finally {
    clearImmediate(early);
  }
  begin(pending, reply);
  await end(pending, undefined);
}

/** @throws where the provider's headers are none that Node sends. */
function begin({ request, response, last }: PendingResponse, { status, headers, body }: ClientResponse): void {
  if (response.headersSent || response.destroyed) return;
  const flat = flatHeaders(headers);
  if (body instanceof Uint8Array && headerOf(headers, "content-length") === undefined)
    flat.push("content-length", String(body.length));
  if (last || !request.complete) flat.push("connection", "close");
  response.sendDate = false;
  response.writeHead(status, flat);
}

function beginEarly(pending: PendingResponse, reply: ClientResponse): void {
  try {
    begin(pending, reply);
    pending.response.flushHeaders();
  } catch {
    pending.response.destroy();
  }
}

async function end(
  { request, response, clientIdleTimeoutMs }: PendingResponse,
  chunk: Uint8Array | undefined,
): Promise<void> {
  if (response.destroyed) return;
  response.socket?.setTimeout(clientIdleTimeoutMs);
  if (request.complete) return void response.end(chunk);
  // To close now would reset the connection under a client that is still sending, and take the answer with it.
  if (chunk !== undefined) response.write(chunk);
  await discardBody(request);
  response.end();
}

function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const done = (): void => {
      clearTimeout(late);
      resolve();
    };
    const late = setTimeout(done, UNWANTED_MS);
    request.once("end", done).once("close", done);
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > UNWANTED_BYTES) done();
    });
    request.resume();
  });
}

/** Until the client took what was written, or is gone. */
function drained({ response, clientIdleTimeoutMs }: PendingResponse): Promise<void> {
  const { socket } = response;
  socket?.setTimeout(clientIdleTimeoutMs);
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      socket?.setTimeout(0);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

/** The client gets what came, and sees that it is not all. */
function cut({ response, clientIdleTimeoutMs }: PendingResponse): void {
  const { socket } = response;
  if (socket === null) return void response.destroy();
  socket.setTimeout(clientIdleTimeoutMs);
  socket.destroySoon();
}
