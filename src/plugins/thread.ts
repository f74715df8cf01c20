/**
 * One thread with one plugin in it, asked one thing at a time. It has a deadline for each call and a limit on its memory;
 * a thread that breaks either is ended, and so is one whose caller gave up. None of the environment goes with it.
 */
import { pathToFileURL } from "node:url";
import { deserialize } from "node:v8";
import { Worker } from "node:worker_threads";
import type { WriterPrompt, WriterReply } from "../core/summary/writer.ts";
import type { CallData, FromThread, ToThread, WriterRole } from "./crossing.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import { oneLine, PluginFault, type FaultKind } from "./fault.ts";
import type { Plugin } from "./find.ts";
import type { PluginLimits } from "./limits.ts";

export interface Call {
  readonly data: CallData;
  readonly deadlineMs: number;
  /** Ends the thread and rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Answers what the plugin asks a model. */
  readonly ask?: (role: WriterRole, prompt: WriterPrompt) => Promise<WriterReply>;
}

export interface Thread {
  /** Rejects with a `PluginFault`. */
  readonly run: (call: Call) => Promise<unknown>;
  readonly alive: () => boolean;
  readonly end: () => Promise<void>;
}

export interface ThreadOptions {
  readonly plugin: Plugin;
  readonly limits: PluginLimits;
  /** Hears what the plugin prints. */
  readonly says?: ((text: string) => void) | undefined;
}

/** What a worker's data is. */
export interface ThreadData {
  readonly entry: string;
  /** The plugin's folder, as a URL. */
  readonly folder: string;
  /** Somebody wants to hear what the plugin prints. */
  readonly prints: boolean;
}

/** Ends a call: with an answer, or with what went wrong. */
interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: Deadline;
  readonly ask: Call["ask"];
}

const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

export async function startThread(options: ThreadOptions): Promise<Thread> {
  const { limits } = options;
  const worker = workerOf(options);
  let pending: Pending | undefined;
  let alive = true;
  const settle = (): Pending | undefined => {
    const one = pending;
    pending = undefined;
    one?.deadline.end();
    worker.unref();
    return one;
  };
  const lose = (error: unknown): void => {
    alive = false;
    settle()?.reject(error);
    void worker.terminate();
  };
  const call = (ms: number, ask?: Call["ask"]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.ref();
      const hung = (): void => lose(new PluginFault({ kind: "hung", detail: `no answer within ${ms} ms` }));
      pending = { resolve, reject, deadline: createDeadline(ms, hung), ask };
    });
  const hear = (message: FromThread): void => {
    if (message.kind === "ask") void relay(message, { pending, lose, worker });
    else if (message.kind === "printed") options.says?.(message.text);
    else if (message.kind === "failed") settle()?.reject(new PluginFault(message.fault));
    else if (message.kind === "ready") settle()?.resolve(undefined);
    else if (message.kind === "answer") settle()?.resolve(deserialize(message.bytes));
  };
  worker.on("message", (message: FromThread) => {
    try {
      hear(message);
    } catch (error) {
      lose(new PluginFault({ kind: "not_data", detail: oneLine(String(error)) }));
    }
  });
  worker.on("error", (error) => lose(lossOf(error)));
  worker.once("exit", (code) => lose(new PluginFault({ kind: "died", detail: `its thread ended with code ${code}` })));
  const end = async (): Promise<void> => {
    alive = false;
    await worker.terminate();
  };
  try {
    await call(limits.startMs);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    run: async ({ data, deadlineMs, signal, ask }) => {
      signal?.throwIfAborted();
      const aborted = (): void => lose(signal?.reason);
      signal?.addEventListener("abort", aborted, { once: true });
      try {
        const answer = call(deadlineMs, ask);
        worker.postMessage({ kind: "call", call: data, answerBytesMax: limits.answerBytes } satisfies ToThread);
        return await answer;
      } finally {
        signal?.removeEventListener("abort", aborted);
      }
    },
    alive: () => alive,
    end,
  };
}

/** Of a thread's memory: what lives shortly. */
const YOUNG_GENERATION_MB = 16;

function workerOf({ plugin, limits, says }: ThreadOptions): Worker {
  const folder = pathToFileURL(plugin.folder).href;
  // The thread's own file: as source, or as built.
  return new Worker(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url), {
    name: `precis plugin ${plugin.name}`,
    workerData: { entry: plugin.entry, folder, prints: says !== undefined } satisfies ThreadData,
    execArgv: [],
    env: {},
    // What it prints must not get into what precis prints. Nobody reads these: to read them would keep the program alive.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

interface Asking {
  readonly pending: Pending | undefined;
  readonly lose: (error: unknown) => void;
  readonly worker: Worker;
}

/** While a model answers, the plugin's time stands still. */
async function relay(
  { ask, role, prompt }: Extract<FromThread, { kind: "ask" }>,
  { pending, lose, worker }: Asking,
): Promise<void> {
  if (pending?.ask === undefined) return;
  pending.deadline.hold();
  try {
    const reply = await pending.ask(role, prompt);
    worker.postMessage({ kind: "told", ask, reply } satisfies ToThread);
    pending.deadline.goOn();
  } catch (error) {
    lose(error);
  }
}

function lossOf(error: unknown): PluginFault {
  const kind: FaultKind = (error as NodeJS.ErrnoException).code === OUT_OF_MEMORY ? "memory" : "died";
  return new PluginFault({ kind, detail: oneLine(String(error)) });
}
