/**
 * The way of large requests: into a thread with a gateway of its own, so that the event loop only passes on bytes and
 * nobody waits while a large conversation is read and compacted. The thread starts with the first such request. When one
 * dies, its requests go to another: those that may have been the reason one by one.
 */
import { Worker } from "node:worker_threads";
import { PrecisError } from "../../core/errors.ts";
import { withTimeLimit } from "../../session/time-limit.ts";
import type { ClientRequest, ClientResponse, RequestEvent, EmitEvent } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import type { Chunks } from "../request/relay.ts";
import { Flow } from "../transport/flow.ts";
import { gatewayBusy } from "../transport/refusals.ts";
import { type FromThread, PIECES_AHEAD_MAX, type ThreadSource, type ToThread } from "./messages.ts";
import { createPlaces, type Place } from "./queue.ts";

interface LargeCall {
  readonly tenant: string;
  readonly client: ClientRequest;
  /** The whole body as it was sent, and decompressed. */
  readonly raw: Buffer;
  readonly plain: Buffer;
  readonly loopback: boolean;
  readonly over: (event: RequestEvent) => void;
}

/** Why there is no answer: the thread was lost over the request, also when it was alone there; or it waited too long. */
type Unanswered = "lost" | "late";

export interface LargeRequests {
  /** @throws PrecisError `gateway_busy` where too many requests are there or wait; the reason of the client's signal. */
  readonly answer: (call: LargeCall) => Promise<ClientResponse | Unanswered>;
  readonly close: () => Promise<void>;
}

type QueueLimits = Pick<
  GatewayLimits,
  | "readBodyBytes"
  | "largeBodyBytes"
  | "largeBodyObjects"
  | "largeRequests"
  | "largeWaitMs"
  | "largeHeapBytes"
  | "largePreparingBytes"
  | "largeSilenceMs"
  | "drainMs"
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
  return countObjects(body, largeBodyObjects) >= largeBodyObjects;
}

function countObjects(body: Uint8Array, most = Infinity): number {
  let objects = 0;
  for (let at = body.indexOf(OPEN_BRACE); at >= 0 && objects < most; at = body.indexOf(OPEN_BRACE, at + 1)) objects++;
  return objects;
}

/**
 * What a request takes of the thread's memory until it is answered, for each byte and for each object of its body. Measured: a
 * body of 1.8 MB takes 11 MB where its messages are of 9,000 characters, 38 MB of 300, and 51 MB of 60.
 */
const HELD_PER_BYTE = 6;
const HELD_PER_OBJECT = 2_048;
/** Of the thread's memory, what requests may weigh: the rest is for what is only needed while one is prepared. */
const HELD_SHARE = 0.5;

export function createLargeRequests(source: ThreadSource, limits: QueueLimits, onEvent: EmitEvent): LargeRequests {
  const { largeRequests, largeHeapBytes, largePreparingBytes, largeWaitMs } = limits;
  const heldBytes = largeHeapBytes * HELD_SHARE;
  const places = createPlaces({ heldBytes, preparingBytes: largePreparingBytes, waitMs: largeWaitMs });
  let thread: Thread | undefined;
  let isClosed = false;
  const enter = async (call: LargeCall, place: Place): Promise<ClientResponse | "lost" | "late" | "again"> => {
    if (!(await places.enter(place, call.client.signal))) return "late";
    if (isClosed) return "lost";
    if (thread === undefined || thread.lost()) thread = startThread(source, limits, onEvent);
    const told = await thread.answer({
      ...call,
      prepared: () => places.prepared(place),
      left: () => places.leave(place),
    });
    if (typeof told !== "string") return told;
    if (told === "alone to blame" || (told === "to blame" && place.alone)) return "lost";
    place.alone ||= told === "to blame";
    // It weighed more than was thought.
    place.weight *= 2;
    return "again";
  };
  return {
    answer: async (call) => {
      if (places.size() >= largeRequests) throw busy();
      const { tenant, plain } = call;
      const weight = plain.length * HELD_PER_BYTE + countObjects(plain) * HELD_PER_OBJECT;
      const place: Place = { tenant, weight, alone: false };
      let told = await enter(call, place);
      while (told === "again") told = await enter(call, place);
      return told;
    },
    close: async () => {
      isClosed = true;
      await thread?.close();
    },
  };
}

/**
 * Why the thread may have been lost: over one of those that it prepared, or, where it prepared none, over any. The only one
 * that was prepared while nothing was heard need not be tried again.
 */
type Lost = "alone to blame" | "to blame" | "not to blame";

interface CallInThread extends LargeCall {
  readonly prepared: () => void;
  readonly left: () => void;
}

interface Thread {
  readonly lost: () => boolean;
  readonly answer: (call: CallInThread) => Promise<ClientResponse | Lost>;
  readonly close: () => Promise<void>;
}

interface Active extends Pick<CallInThread, "over" | "left"> {
  isPrepared: boolean;
  readonly prepared: () => void;
  readonly replied: (reply: ClientResponse | Lost) => void;
  /** The answer's body, as it comes. */
  readonly body: Flow;
  readonly taken: (pieces: number) => void;
}

/** Pieces that the client took are told together. */
const PIECES_TOLD = PIECES_AHEAD_MAX / 2;

function startThread(source: ThreadSource, limits: QueueLimits, onEvent: EmitEvent): Thread {
  // The thread's own file: as source, or as built.
  const worker = new Worker(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url), {
    workerData: source,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: limits.largeHeapBytes / MEBIBYTE },
  });
  const post = (message: ToThread): void => worker.postMessage(message);
  const requests = createRequests(post, onEvent);
  const watch = watchSilence(limits.largeSilenceMs, {
    ping: () => {
      if (requests.size() > 0) post({ kind: "ping" });
      return requests.size() > 0;
    },
    silent: () => {
      isSilent = true;
      void worker.terminate();
    },
  });
  let isLost = false;
  let isSilent = false;
  const ended = new Promise<void>((resolve) => {
    const lost = (): void => {
      isLost = true;
      watch.stop();
      if (requests.size() > 0)
        onEvent({ kind: "notice", code: "internal_fault", tenant: "", message: isSilent ? SILENT : RETRIED });
      requests.lose(isSilent);
      resolve();
    };
    // What went wrong may quote what it worked on; whose request it was is told with the request.
    worker.on("error", lost).once("exit", lost);
  });
  worker.on("message", (messages: readonly FromThread[]) => {
    watch.heard();
    for (const message of messages) if (message.kind !== "pong") requests.hear(message);
    // A thread that has nothing to do does not keep a program alive.
    if (requests.size() === 0) worker.unref();
  });
  worker.unref();
  return {
    lost: () => isLost,
    answer: (call) => {
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

/** Asks again and again whether anything is heard; of what is asked, whoever is busy with one thing hears nothing. */
function watchSilence(
  limitMs: number,
  { ping, silent }: { readonly ping: () => boolean; readonly silent: () => void },
) {
  let isAsked = false;
  // What was heard while this thread was busy itself is taken in before it is judged.
  const judge = (): void => (isAsked ? silent() : undefined);
  const look = (): void => {
    if (isAsked) setImmediate(judge);
    else isAsked = ping();
  };
  const timer = setInterval(look, limitMs).unref();
  return { heard: (): void => void (isAsked = false), stop: (): void => clearInterval(timer) };
}

const nothing = (): void => undefined;

/** The requests that one thread has: what it is sent, and what becomes of its messages. */
function createRequests(post: (message: ToThread) => void, onEvent: EmitEvent) {
  const active = new Map<number, Active>();
  let count = 0;
  const hear = (message: Exclude<FromThread, { kind: "pong" }>): void => {
    if (message.kind === "event") return onEvent(message.event);
    const { id } = message;
    const one = active.get(id);
    switch (message.kind) {
      case "prepared":
        return one?.prepared();
      case "reply": {
        const { status, headers, body } = message;
        one?.prepared();
        return one?.replied({ status, headers, body: body === "pulled" ? pulled(one.body, one.taken) : body });
      }
      case "chunk":
        return message.chunk === undefined ? one?.body.end() : one?.body.push(message.chunk);
      case "broken":
        return one?.body.end(brokenOff());
      case "over":
        active.delete(id);
        // Once its client has left, no more comes of a body that may still be waited for.
        if (one?.body.ended === false) one.body.end(brokenOff());
        one?.left();
        return one?.over(message.event);
    }
  };
  const begin = (call: CallInThread): Promise<ClientResponse | Lost> => {
    const { client, raw, loopback, over, left } = call;
    const { method, target, headers, signal } = client;
    const id = count++;
    const abort = (): void => post({ kind: "abort", id });
    return new Promise((replied) => {
      const body = new Flow({ pause: nothing, resume: nothing, cancel: () => post({ kind: "cancel", id }) });
      const taken = (pieces: number): void => post({ kind: "taken", id, pieces });
      const one: Active = { replied, over, left, isPrepared: false, prepared, body, taken };
      function prepared(): void {
        one.isPrepared = true;
        call.prepared();
      }
      active.set(id, one);
      post({ kind: "request", id, method, target, headers, body: raw, loopback });
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
    });
  };
  const lose = (isSilent: boolean): void => {
    const gone = [...active.values()];
    active.clear();
    const preparing = gone.filter(({ isPrepared }) => !isPrepared).length;
    const blame = isSilent && preparing === 1 ? "alone to blame" : "to blame";
    for (const { replied, body, left, isPrepared } of gone) {
      left();
      replied(isPrepared && preparing > 0 ? "not to blame" : blame);
      body.end(brokenOff());
    }
  };
  return { begin, hear, lose, size: () => active.size };
}

/** The body of an answer; the thread hears how much of it the client took. */
async function* pulled(body: Flow, taken: (pieces: number) => void): Chunks {
  let pieces = 0;
  for await (const piece of body) {
    yield piece;
    pieces += 1;
    if (pieces < PIECES_TOLD) continue;
    taken(pieces);
    pieces = 0;
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
  const message = "precis: the gateway is already working on its maximum number of large requests.";
  return gatewayBusy(message, "Send the request again in a moment.");
}

const RETRIED = "large_thread_lost: The thread for large requests ended; its requests go to another, one by one.";

const SILENT =
  "large_thread_silent: The thread for large requests heard nothing for too long and was ended; its requests go to another.";

export function threadLost(): PrecisError {
  return new PrecisError("The thread for large requests ended before it answered.", {
    code: "large_thread_lost",
    hint: "It ended again when it had this request alone, which is forwarded unchanged, unless gateway.on_fault is `refuse`.",
    retryable: true,
  });
}
