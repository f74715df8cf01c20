/** Gives tasks to threads, the longest first, and hands on what they find. The first failure ends all of it. */
import { Worker } from "node:worker_threads";
import { PrecisError } from "../../../src/core/errors.ts";
import type { Product, Task } from "./task.ts";
import type { FromWorker, PlainFailure } from "./worker.ts";

/** More threads than this gain nothing: the longest session is then what everyone waits for. */
export const THREADS_MAX = 16;
/** What a session of some hundred megabytes needs beside its text. */
const THREAD_HEAP_MEBIBYTES = 4_096;

export interface Threads {
  /** Resolves when every task is done. */
  readonly run: (tasks: readonly Task[], found: (product: Product) => void) => Promise<void>;
  readonly end: () => Promise<void>;
}

export function startThreads(count: number): Threads {
  const workers = Array.from({ length: Math.min(count, THREADS_MAX) }, startWorker);
  return {
    run: async (tasks, found) => {
      const waiting = [...tasks];
      const serve = async (worker: Worker): Promise<void> => {
        for (let task = waiting.shift(); task !== undefined; task = waiting.shift())
          await performed(worker, task, found);
      };
      await Promise.all(workers.map(serve));
    },
    end: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  };
}

function startWorker(): Worker {
  // The thread's own file: as source, or as built.
  const worker = new Worker(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MEBIBYTES },
  });
  worker.setMaxListeners(0);
  return worker;
}

function performed(worker: Worker, task: Task, found: (product: Product) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      worker.off("message", hear).off("error", fail).off("exit", gone);
      end();
    };
    const fail = (error: unknown): void => settle(() => reject(error));
    const gone = (): void => fail(new Error("a thread of the evaluation ended prematurely"));
    const hear = (message: FromWorker): void => {
      if (message.kind === "product") found(message.product);
      else if (message.kind === "done") settle(resolve);
      else fail(revived(message.failure));
    };
    worker.on("message", hear).on("error", fail).on("exit", gone);
    worker.postMessage(task);
  });
}

function revived({ message, code, hint, place, stack }: PlainFailure): Error {
  if (code !== undefined)
    return new PrecisError(message, { code, hint: hint ?? "", ...(place === undefined ? {} : { place }) });
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
