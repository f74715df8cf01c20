/** A `ClientResponse` written to Node's response: at the client's pace, without delay, and cut where its body is cut. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClientRequest, Bytes, ClientResponse } from "../contract.ts";
import { flatHeaders, headerOf } from "./headers.ts";
import { refuseError } from "./refusals.ts";

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
