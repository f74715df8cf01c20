/** The one place where work is raced against a time limit or a signal. What was waited for may go on by itself. */

/** What comes of the work, or of `instead` when the signal aborts first. */
export async function unlessAborted<Value, Instead>(
  signal: AbortSignal,
  work: Value | Promise<Value>,
  instead: () => Instead,
): Promise<Value | Instead> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const abort = (): void => resolve();
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.then(instead)]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** What comes of the work, or of `instead` when it takes longer. The process stays alive for as long. */
export async function withTimeLimit<Value, Instead>(
  ms: number,
  work: Promise<Value>,
  instead: () => Instead,
): Promise<Value | Instead> {
  const limit = startTimeLimit(ms);
  try {
    return await unlessAborted(limit.signal, work, instead);
  } finally {
    limit.clear();
  }
}

/** A limit on several steps together: its signal aborts after so long, unless it is cleared before. */
export function startTimeLimit(ms: number): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

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
