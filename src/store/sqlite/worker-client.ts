/**
 * Carries calls to the thread that has the file, and their answers back; what can be read at once is. A thread that dies
 * is replaced at the next call.
 */
import { Worker } from "node:worker_threads";
import { identityOf, type FileOptions } from "./database.ts";
import { fromPlain, deletedError, lostThreadError } from "./failures.ts";
import { createGate, type QueueLimits } from "../gate.ts";
import type { Ask } from "../sql/operations.ts";
import type { Call } from "./operations.ts";
import { createReader } from "./reader.ts";
import type { FromThread, ToThread } from "./worker.ts";

export interface WorkerClient {
  readonly call: Ask;
  /** Ends the thread; to be called when nothing is under way. */
  readonly close: () => Promise<void>;
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Of the thread's memory; with Node's own default it keeps about 10 MB more, and is no faster. */
const YOUNG_GENERATION_MEBIBYTES = 4;

/** Resolves when the file is open. */
export async function startWorkerClient(file: FileOptions, limits: QueueLimits): Promise<WorkerClient> {
  const gate = createGate(limits);
  const reader = createReader(file);
  let thread: Promise<Thread> | undefined;
  let opened = false;

  const threadNow = (): Promise<Thread> => {
    if (thread === undefined) {
      // A thread that could only say so need not be started.
      if (opened && identityOf(file.path) === undefined) throw deletedError(file.path);
      const starting = startThread({ ...file, mustExist: opened || file.mustExist === true }, () => {
        if (thread === starting) thread = undefined;
        // The next call may find another file there.
        reader.close();
      });
      thread = starting;
    }
    return thread;
  };

  const carry = async (call: Omit<Call, "id">): Promise<unknown> => {
    const { bytes } = call;
    const read = reader.answer(call);
    if (read !== undefined) return read.answer;
    const answered = reader.begun(call.name);
    try {
      await gate.enter(bytes);
      try {
        return await (await threadNow()).ask(call);
      } finally {
        gate.leave(bytes);
      }
    } finally {
      answered();
    }
  };

  await threadNow();
  opened = true;
  return {
    call: async (name, tenant, argument, bytes = 0) => (await carry({ name, tenant, argument, bytes })) as never,
    close: async () => {
      // The last to let go of the file puts it in order, and that is the thread.
      reader.close();
      await (await thread)?.end();
    },
  };
}

interface Thread {
  readonly ask: (call: Omit<Call, "id">) => Promise<unknown>;
  readonly end: () => Promise<void>;
}

function takeOut(pending: Map<number, Pending>, id: number, worker: Worker): Pending | undefined {
  const one = pending.get(id);
  pending.delete(id);
  // A store that nobody waits for does not keep a program alive.
  if (pending.size === 0) worker.unref();
  return one;
}

function workerOn(file: FileOptions): Worker {
  // The thread's own file: as source, or as built.
  return new Worker(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url), {
    workerData: file,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEBIBYTES },
  });
}

/** `ended` is told once, when the thread cannot be asked any more. */
function startThread(file: FileOptions, ended: () => void): Promise<Thread> {
  const worker = workerOn(file);
  const pending = new Map<number, Pending>();
  let [asked, death]: [number, unknown] = [0, undefined];
  const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const post = (message: ToThread): void => worker.postMessage(message);
  const settle = (id: number): Pending | undefined => takeOut(pending, id, worker);
  const thread: Thread = {
    ask: (call) =>
      new Promise((resolve, reject) => {
        const id = asked++;
        if (pending.size === 0) worker.ref();
        pending.set(id, { resolve, reject });
        post({ id, ...call });
      }),
    end: async () => {
      worker.ref();
      post("close");
      await gone;
    },
  };
  return new Promise((resolve, reject) => {
    const lost = (): void => {
      ended();
      const error = lostThreadError(file.path, death);
      for (const id of pending.keys()) settle(id)?.reject(error);
      reject(error);
    };
    worker.on("error", (error) => {
      death = error;
    });
    worker.once("exit", lost);
    worker.on("message", (message: FromThread) => {
      if (message === "ready") {
        worker.unref();
        resolve(thread);
      } else if ("refused" in message) {
        ended();
        reject(fromPlain(message.refused));
      } else
        for (const reply of message) {
          const one = settle(reply.id);
          // A thread without its file ends now: the next call must not ask it.
          if ("error" in reply && reply.error.details.code === "store_gone") ended();
          if ("error" in reply) one?.reject(fromPlain(reply.error));
          else one?.resolve(reply.answer as never);
        }
    });
  });
}
