/**
 * The thread for large requests: a whole gateway without a port. It reads, compacts and keeps a request, calls the
 * provider, and hands the answer back piece by piece as it is asked for.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { createPipeline } from "../app.ts";
import type { ClientResponse, GatewayEvent, RequestEvent } from "../contract.ts";
import { GATEWAY_LIMITS } from "../limits.ts";
import { clientDisconnected } from "../transport/failures.ts";
import { refuseError } from "../transport/refusals.ts";
import { type FromThread, type ThreadSource, type ToThread, PIECES_AHEAD_MAX } from "./messages.ts";
import type { ThreadModule } from "./module.ts";

interface Active {
  readonly gone: AbortController;
  replied: boolean;
  /** What is reported of it once it was replied to: a request that the gateway answers itself is over before. */
  over?: RequestEvent;
  body?: AsyncIterator<Uint8Array>;
  /** Pieces of it that may be handed over now. */
  ahead: number;
  /** Another one may be. */
  taken?: () => void;
}

const port = parentPort!;
const { module, data } = workerData as ThreadSource;
/** The request that something is done for: its last event names it by this. */
const current = new AsyncLocalStorage<number>();
const active = new Map<number, Active>();
let loopback = true;

const { openOptions } = (await import(module)) as ThreadModule;
const opened = await openOptions(data as never);
const limits = { ...GATEWAY_LIMITS, ...opened.options.limits };
/** That its event loop is late is what this thread is for. What is remembered of conversations weighs about five times as much as its characters: no more of the thread's memory. */
const conversationBytes = Math.min(limits.conversationBytes, limits.largeHeapBytes / 32);
const pipeline = createPipeline(
  {
    ...opened.options,
    limits: { ...limits, conversationBytes, eventLoopDelayMs: Infinity },
    onEvent,
  },
  () => loopback,
  prepared,
);
port.on("message", hear);

let said: FromThread[] = [];

/** What is said in one go is one message: each wakes the event loop. */
function say(message: FromThread): void {
  if (said.push(message) > 1) return;
  process.nextTick(() => {
    port.postMessage(said);
    said = [];
  });
}

function onEvent(event: GatewayEvent): void {
  if (event.kind !== "request") return say({ kind: "event", event });
  const id = current.getStore();
  if (id === undefined) return;
  const one = active.get(id);
  if (one?.replied === false) one.over = event;
  else over(id, event);
}

function prepared(): void {
  const id = current.getStore();
  if (id !== undefined) say({ kind: "prepared", id });
}

function over(id: number, event: RequestEvent): void {
  active.delete(id);
  say({ kind: "over", id, event });
}

function hear(message: ToThread): void {
  if (message.kind === "ping") return say({ kind: "pong" });
  if (message.kind === "close") return void close();
  const { id } = message;
  if (message.kind === "request") return current.run(id, () => void answer(message));
  const one = active.get(id);
  if (message.kind === "taken") {
    if (one !== undefined) one.ahead += message.pieces;
    return one?.taken?.();
  }
  current.run(id, () => {
    if (message.kind === "abort") one?.gone.abort(clientDisconnected());
    else void one?.body?.return?.().catch(() => undefined);
  });
}

async function answer({
  id,
  method,
  target,
  headers,
  body,
  ...request
}: ToThread & { kind: "request" }): Promise<void> {
  loopback = request.loopback;
  const gone = new AbortController();
  const one: Active = { gone, replied: false, ahead: PIECES_AHEAD_MAX };
  active.set(id, one);
  const client = {
    method,
    target,
    headers,
    body: whole(Buffer.from(body.buffer, body.byteOffset, body.byteLength)),
    signal: gone.signal,
  };
  let reply: ClientResponse;
  try {
    reply = await pipeline.handle(client);
  } catch (error) {
    reply = refuseError(client, error);
  }
  const { status, headers: lines, body: out } = reply;
  const pulled = out !== undefined && !(out instanceof Uint8Array);
  if (pulled) one.body = out[Symbol.asyncIterator]();
  say({ kind: "reply", id, status, headers: lines, body: pulled ? "pulled" : out });
  one.replied = true;
  if (one.over !== undefined) over(id, one.over);
  if (one.body !== undefined) await handOver(id, one, one.body);
}

async function* whole(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

/** A few pieces ahead of the client: most answers are over before one would be asked for. */
async function handOver(id: number, one: Active, body: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    for (;;) {
      if (one.ahead === 0) await new Promise<void>((resolve) => (one.taken = resolve));
      one.ahead -= 1;
      const { done, value } = await body.next();
      say({ kind: "chunk", id, chunk: done === true ? undefined : value });
      if (done === true) return;
    }
  } catch {
    say({ kind: "broken", id });
  }
}

async function close(): Promise<void> {
  await pipeline.close();
  await opened.close();
  port.close();
}
