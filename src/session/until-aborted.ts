/** A wait that its caller may end. What was waited for may go on: it must not change anything by itself. */
import { unlessAborted } from "./time-limit.ts";

export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  run: () => Value | Promise<Value>,
): Promise<Value> {
  if (signal === undefined) return run();
  const stop = (): never => {
    throw signal.reason;
  };
  signal.throwIfAborted();
  const value = await unlessAborted(signal, run(), stop);
  // It may have aborted while nobody was waiting.
  signal.throwIfAborted();
  return value;
}
