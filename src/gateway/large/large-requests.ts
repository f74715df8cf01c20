/**
 * The way of large requests: into a thread with a gateway of its own, so that the event loop only passes on bytes and
 * nobody waits while a large conversation is read and compacted. The thread starts with the first such request; one that
 * dies is replaced at the next.
 */
import { Worker } from "node:worker_threads";
import { PrecisError } from "../../core/errors.ts";
import { withTimeLimit } from "../../session/time-limit.ts";
import type { ClientRequest, ClientResponse, RequestEvent, EmitEvent } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import type { Chunks } from "../request/relay.ts";
import type { FromThread, ThreadSource, ToThread } from "./messages.ts";

interface LargeCall {
  readonly client: ClientRequest;
  /** The whole body as it was sent. */
  readonly raw: Buffer;
  readonly loopback: boolean;
  /** What the thread has to tell of the request when it is over. */
  readonly over: (event: RequestEvent) => void;
}

export interface LargeRequests {
  /**
   * Undefined where the thread was lost before it had an answer.
   *
   * @throws PrecisError `gateway_busy` where too many requests are in the thread.
   */
  readonly answer: (call: LargeCall) => Promise<ClientResponse | undefined>;
  readonly close: () => Promise<void>;
}

type QueueLimits = Pick<
  GatewayLimits,
  "readBodyBytes" | "largeBodyBytes" | "largeBodyObjects" | "largeRequests" | "largeHeapBytes" | "drainMs"
>;

const MEBIBYTE = 1024 * 1024;
const OPEN_BRACE = 0x7b;

/**
 * Whether a body is worked on in the thread: it is long, or holds that many objects that it may have many messages. What is
 * too large to be read takes no time to be forwarded.
 */
export function isLarge(body: Uint8Array, limits: QueueLimits): boolean {
  const { readBodyBytes, largeBodyBytes, largeBodyObjects } = limits;
  if (body.length >= largeBodyBytes) return body.length <= readBodyBytes;
  let objects = 0;
  for (let at = body.indexOf(OPEN_BRACE); at >= 0; at = body.indexOf(OPEN_BRACE, at + 1))
    if (++objects >= largeBodyObjects) return true;
  return false;
}

export function createLargeRequests(source: ThreadSource, limits: QueueLimits, onEvent: EmitEvent): LargeRequests {
  let thread: Thread | undefined;
  return {
    answer: (call) => {
      if (thread === undefined || thread.lost()) thread = startThread(source, limits, onEvent);
      return thread.answer(call);
    },
    close: async () => thread?.close(),
  };
}

interface Thread {
  readonly lost: () => boolean;
  readonly answer: LargeRequests["answer"];
  readonly close: () => Promise<void>;
}

/** A request that the thread has. */
interface Active {
  readonly replied: (reply: ClientResponse | undefined) => void;
  readonly over: (event: RequestEvent) => void;
  /** Takes the next piece of the body; rejects where it breaks off. */
  piece?: { readonly resolve: (chunk: Uint8Array | undefined) => void; readonly reject: (error: Error) => void };
}

function startThread(source: ThreadSource, limits: QueueLimits, onEvent: EmitEvent): Thread {
  // The thread's own file: as source, or as built.
  const worker = new Worker(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url), {
    workerData: source,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: limits.largeHeapBytes / MEBIBYTE },
  });
  const post = (message: ToThread): void => worker.postMessage(message);
  const requests = createRequests(post, onEvent);
  let isLost = false;
  const ended = new Promise<void>((resolve) => {
    const lost = (): void => {
      isLost = true;
      requests.lose();
      resolve();
    };
    // What went wrong may quote what it worked on; whose request it was is told with the request.
    worker.on("error", lost).once("exit", lost);
  });
  worker.on("message", (message: FromThread) => {
    requests.hear(message);
    // A thread that has nothing to do does not keep a program alive.
    if (requests.size() === 0) worker.unref();
  });
  worker.unref();
  return {
    lost: () => isLost,
    answer: (call) => {
      if (requests.size() >= limits.largeRequests) throw busy();
      worker.ref();
      return requests.begin(call);
    },
    close: async () => {
      worker.ref();
      post({ kind: "close" });
      await withTimeLimit(limits.drainMs, ended, () => undefined);
      await worker.terminate();
    },
  };
}

/** The requests that one thread has: what it is sent, and what becomes of its messages. */
function createRequests(post: (message: ToThread) => void, onEvent: EmitEvent) {
  const active = new Map<number, Active>();
  let count = 0;
  const hear = (message: FromThread): void => {
    if (message.kind === "event") return onEvent(message.event);
    const { id } = message;
    const one = active.get(id);
    switch (message.kind) {
      case "reply": {
        const { status, headers, body } = message;
        return one?.replied({ status, headers, body: body === "pulled" ? pulled(active, id, post) : body });
      }
      case "chunk":
        return one?.piece?.resolve(message.chunk);
      case "broken":
        return one?.piece?.reject(brokenOff());
      case "over":
        active.delete(id);
        // Once its client has left, no more comes of a body that may still be waited for.
        one?.piece?.reject(brokenOff());
        return one?.over(message.event);
    }
  };
  const begin = ({ client, raw, loopback, over }: LargeCall): Promise<ClientResponse | undefined> => {
    const { method, target, headers, signal } = client;
    const id = count++;
    const abort = (): void => post({ kind: "abort", id });
    return new Promise((replied) => {
      active.set(id, { replied, over });
      post({ kind: "request", id, method, target, headers, body: raw, loopback });
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  };
  const lose = (): void => {
    for (const { replied, piece } of active.values()) {
      replied(undefined);
      piece?.reject(brokenOff());
    }
    active.clear();
  };
  return { begin, hear, lose, size: () => active.size };
}

/** The body of an answer, each piece asked for when the client can take it. */
async function* pulled(active: ReadonlyMap<number, Active>, id: number, post: (message: ToThread) => void): Chunks {
  try {
    for (;;) {
      const chunk = await new Promise<Uint8Array | undefined>((resolve, reject) => {
        const one = active.get(id);
        if (one === undefined) return reject(brokenOff());
        one.piece = { resolve, reject };
        post({ kind: "pull", id });
      });
      if (chunk === undefined) return;
      yield chunk;
    }
  } finally {
    post({ kind: "cancel", id });
  }
}

function brokenOff(): PrecisError {
  return new PrecisError("The answer was interrupted: the provider ended it, or the thread that relayed it failed.", {
    code: "upstream_broke_off",
    hint: "Send the request again.",
    retryable: true,
  });
}

function busy(): PrecisError {
  return new PrecisError("precis: the gateway is already working on its maximum number of large requests.", {
    code: "gateway_busy",
    hint: "Send the request again in a moment.",
    retryable: true,
  });
}

export function threadLost(): PrecisError {
  return new PrecisError("The thread for large requests ended before it answered.", {
    code: "large_thread_lost",
    hint: "The request is forwarded unchanged, unless gateway.on_fault is `refuse`; the next one gets a new thread.",
    retryable: true,
  });
}
