/**
 * The threads of one plugin, shared by all sessions that use it. Deciding has one of its own, because every request waits
 * for it; compactions have a few. A thread that was lost is replaced, until that has happened too often.
 */
import { PluginFault, type FaultKind, oneLine, type PluginLimits } from "./fault.ts";
import { pathToFileURL } from "node:url";
import { deserialize } from "node:v8";
import { Worker } from "node:worker_threads";
import type { WriterPrompt, WriterReply } from "../core/handoff/model/writer.ts";
import type { CallData, FromThread, ToThread, WriterRole } from "./thread-data.ts";
import type { Plugin } from "./find.ts";

export interface Host {
  /** Rejects with a `PluginFault`, or with the reason of the call's signal. */
  readonly run: (call: Call) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Faults after which the thread is gone. */
const LOSSES: ReadonlySet<FaultKind> = new Set(["unloadable", "hung", "died", "memory"]);

export function createHost(options: ThreadOptions): Host {
  const { limits } = options;
  let losses = 0;
  const start = async (): Promise<Thread> => {
    if (losses >= limits.losses)
      throw new PluginFault({ kind: "out_of_service", detail: `${losses} threads were lost` });
    return startThread(options);
  };
  const lanes = {
    decide: createQueue({ width: 1, queueMs: limits.queueMs, start }),
    compact: createQueue({ width: limits.threads, queueMs: limits.queueMs, start }),
  };
  return {
    run: async (call) => {
      try {
        return await (call.data.name === "decide" ? lanes.decide : lanes.compact).run(call);
      } catch (error) {
        if (error instanceof PluginFault && LOSSES.has(error.data.kind)) losses++;
        throw error;
      }
    },
    close: async () => {
      await Promise.all([lanes.decide.close(), lanes.compact.close()]);
    },
  };
}

interface QueueOptions {
  readonly width: number;
  readonly queueMs: number;
  readonly start: () => Promise<Thread>;
}

function createQueue({ width, queueMs, start }: QueueOptions): Host {
  const idle: Thread[] = [];
  const all = new Set<Thread>();
  const waiting: (() => void)[] = [];
  let busy = 0;
  const enter = async (): Promise<void> => {
    if (busy < width) return void busy++;
    await new Promise<void>((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(next), 1);
        reject(new PluginFault({ kind: "busy", detail: `for over ${queueMs} ms` }));
      }, queueMs);
      waiting.push(next);
    });
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy--;
    else next();
  };
  const threadNow = async (): Promise<Thread> => {
    const ready = idle.pop();
    if (ready?.alive() === true) return ready;
    const thread = await start();
    all.add(thread);
    return thread;
  };
  const release = (thread: Thread): void => {
    if (!thread.alive()) all.delete(thread);
    else if (idle.length === 0) idle.push(thread);
    else {
      // What a burst needed is not kept.
      all.delete(thread);
      void thread.end();
    }
  };
  return {
    run: async (call) => {
      await enter();
      try {
        const thread = await threadNow();
        try {
          return await thread.run(call);
        } finally {
          release(thread);
        }
      } finally {
        leave();
      }
    },
    close: async () => {
      idle.length = 0;
      await Promise.all([...all].map((thread) => thread.end()));
      all.clear();
    },
  };
}

export interface Call {
  readonly data: CallData;
  readonly deadlineMs: number;
  /** Ends the thread and rejects with its reason. */
  readonly signal?: AbortSignal;
  readonly ask?: (role: WriterRole, prompt: WriterPrompt) => Promise<WriterReply>;
  readonly read?: (id: string) => Promise<string | undefined>;
}

interface Thread {
  readonly run: (call: Call) => Promise<unknown>;
  readonly alive: () => boolean;
  readonly end: () => Promise<void>;
}

interface ThreadOptions {
  readonly plugin: Plugin;
  readonly limits: PluginLimits;
  readonly says?: ((text: string) => void) | undefined;
}

export interface ThreadData {
  readonly entry: string;
  /** The plugin's folder, as a URL. */
  readonly folder: string;
  readonly prints: boolean;
}

interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: Deadline;
  readonly ask: Call["ask"];
  readonly read: Call["read"];
}

const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";

async function startThread(options: ThreadOptions): Promise<Thread> {
  const worker = startWorker(options);
  const turns = createTurns(worker);
  hear(worker, turns, options.says);
  try {
    await turns.begin(options.limits.startMs);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    run: async ({ data, deadlineMs, signal, ask, read }) => {
      signal?.throwIfAborted();
      const aborted = (): void => turns.lose(signal?.reason);
      signal?.addEventListener("abort", aborted, { once: true });
      try {
        const answer = turns.begin(deadlineMs, { ask, read });
        const answerBytesMax = options.limits.answerBytes;
        worker.postMessage({ kind: "call", call: data, answerBytesMax } satisfies ToThread);
        return await answer;
      } finally {
        signal?.removeEventListener("abort", aborted);
      }
    },
    alive: turns.alive,
    end: async () => {
      turns.lose(new PluginFault({ kind: "died", detail: "its thread was ended" }));
      await worker.terminate();
    },
  };
}

interface Turns {
  readonly begin: (ms: number, effects?: Pick<Pending, "ask" | "read">) => Promise<unknown>;
  readonly now: () => Pending | undefined;
  readonly settle: () => Pending | undefined;
  /** Ends the thread, and the turn with what ended it. */
  readonly lose: (error: unknown) => void;
  readonly alive: () => boolean;
}

const NO_EFFECTS: Pick<Pending, "ask" | "read"> = { ask: undefined, read: undefined };

function createTurns(worker: Worker): Turns {
  let pending: Pending | undefined;
  let alive = true;
  const settle = (): Pending | undefined => {
    const one = pending;
    pending = undefined;
    one?.deadline.end();
    // A thread without a pending call must not keep the program alive.
    worker.unref();
    return one;
  };
  const lose = (error: unknown): void => {
    alive = false;
    settle()?.reject(error);
    void worker.terminate();
  };
  return {
    begin: (ms, { ask, read } = NO_EFFECTS) =>
      new Promise((resolve, reject) => {
        worker.ref();
        const hung = (): void => lose(new PluginFault({ kind: "hung", detail: `no answer within ${ms} ms` }));
        pending = { resolve, reject, deadline: createDeadline(ms, hung), ask, read };
      }),
    now: () => pending,
    settle,
    lose,
    alive: () => alive,
  };
}

function hear(worker: Worker, turns: Turns, says: ThreadOptions["says"]): void {
  const take = (message: FromThread): void => {
    switch (message.kind) {
      case "ready":
        return turns.settle()?.resolve(undefined);
      case "answer":
        return turns.settle()?.resolve(deserialize(message.bytes));
      case "failed":
        return turns.settle()?.reject(new PluginFault(message.fault));
      case "ask":
        return void relay(message.ask, turns.now(), { worker, turns, effect: relayQuestion(message) });
      case "read":
        return void relay(message.ask, turns.now(), { worker, turns, effect: ({ read }) => read?.(message.id) });
      case "printed":
        return says?.(message.text);
    }
  };
  worker.on("message", (message: FromThread) => {
    try {
      take(message);
    } catch (error) {
      turns.lose(new PluginFault({ kind: "not_data", detail: oneLine(String(error)) }));
    }
  });
  worker.on("error", (error) => turns.lose(toLoss(error)));
  worker.once("exit", (code) =>
    turns.lose(new PluginFault({ kind: "died", detail: `its thread ended with code ${code}` })),
  );
}

/** Of a thread's memory: what lives shortly. */
const YOUNG_GENERATION_MB = 16;

function startWorker({ plugin, limits, says }: ThreadOptions): Worker {
  const folder = pathToFileURL(plugin.folder).href;
  // The thread's own file: as source, or as built.
  return new Worker(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url), {
    name: `precis plugin ${plugin.name}`,
    workerData: { entry: plugin.entry, folder, prints: says !== undefined } satisfies ThreadData,
    execArgv: [],
    env: {},
    // What it prints must not get into what precis prints. These streams are not read, because reading them would keep the program alive.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

function relayQuestion({ role, prompt }: Extract<FromThread, { kind: "ask" }>): Relaying["effect"] {
  return ({ ask }) => ask?.(role, prompt);
}

interface Relaying {
  readonly worker: Worker;
  readonly turns: Turns;
  readonly effect: (pending: Pending) => Promise<WriterReply | string | undefined> | undefined;
}

/** The plugin's time does not run while a model answers or the store reads. */
async function relay(ask: number, pending: Pending | undefined, { worker, turns, effect }: Relaying): Promise<void> {
  const answering = pending === undefined ? undefined : effect(pending);
  if (pending === undefined || answering === undefined) return;
  pending.deadline.hold();
  try {
    const reply = await answering;
    worker.postMessage({ kind: "reply", ask, reply } satisfies ToThread);
    pending.deadline.goOn();
  } catch (error) {
    turns.lose(error);
  }
}

function toLoss(error: unknown): PluginFault {
  const kind: FaultKind = (error as NodeJS.ErrnoException).code === OUT_OF_MEMORY ? "memory" : "died";
  return new PluginFault({ kind, detail: oneLine(String(error)) });
}

/** A deadline that can be held: what somebody else takes does not count. */
interface Deadline {
  readonly hold: () => void;
  readonly goOn: () => void;
  readonly end: () => void;
}

/** Calls `passed` once, after that many milliseconds in which it was not held. */
function createDeadline(ms: number, passed: () => void): Deadline {
  let leftMs = ms;
  let holds = 0;
  let since = performance.now();
  let ended = false;
  let timer = setTimeout(passed, ms);
  return {
    hold: () => {
      if (holds++ > 0) return;
      leftMs -= performance.now() - since;
      clearTimeout(timer);
    },
    goOn: () => {
      if (--holds > 0 || ended) return;
      since = performance.now();
      timer = setTimeout(passed, Math.max(0, leftMs));
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}
