/**
 * Calls that a thread has been handed before they are to be made. Whether one is made at all is not known, so only that many
 * are held: one that had to go is handed over again when it is made.
 */
import type { Call } from "./operations.ts";

const PREPARED_CALLS_MAX = 64;
const PREPARED_BYTES_MAX = 8 * 1024 * 1024;

interface Preparing {
  /** Answers with the number by which the thread knows it. */
  readonly prepare: (call: Omit<Call, "id">) => number;
  readonly forget: (id: number) => void;
}

export interface PreparedCalls<Thread extends Preparing> {
  /** What is to be asked of a thread when the call is made. */
  readonly add: (thread: Thread | undefined, call: Omit<Call, "id">) => (now: Thread) => Omit<Call, "id">;
}

export function createPreparedCalls<Thread extends Preparing>(): PreparedCalls<Thread> {
  const held = new Map<object, { readonly thread: Thread; readonly id: number; readonly bytes: number }>();
  let bytesHeld = 0;
  const drop = (key: object): void => {
    bytesHeld -= held.get(key)?.bytes ?? 0;
    held.delete(key);
  };
  return {
    add: (thread, call) => {
      const { bytes } = call;
      if (thread === undefined || bytes > PREPARED_BYTES_MAX) return () => call;
      const key = {};
      held.set(key, { thread, id: thread.prepare(call), bytes });
      bytesHeld += bytes;
      for (const [oldest, one] of held) {
        if (held.size <= PREPARED_CALLS_MAX && bytesHeld <= PREPARED_BYTES_MAX) break;
        one.thread.forget(one.id);
        drop(oldest);
      }
      return (now) => {
        const one = held.get(key);
        drop(key);
        return one?.thread === now ? { ...call, argument: undefined, prepared: one.id } : call;
      };
    },
  };
}
