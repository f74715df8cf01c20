/**
 * The threads of one plugin, shared by all sessions that use it. Deciding has one of its own, because every request waits
 * for it; compactions have a few. A thread that was lost is replaced, until that has happened too often.
 */
import { PluginFault, type FaultKind } from "./fault.ts";
import { startThread, type Call, type Thread, type ThreadOptions } from "./thread.ts";

export interface Host {
  /** Rejects with a `PluginFault`, or with the reason of the call's signal. */
  readonly run: (call: Call) => Promise<unknown>;
  /** Ends all threads. */
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
