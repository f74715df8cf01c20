/** A wait that its caller may end. What was waited for may go on: it must not change anything by itself. */
export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  run: () => Value | Promise<Value>,
): Promise<Value> {
  if (signal === undefined) return run();
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const value = await Promise.race([run(), aborted]);
    // It may have aborted while nobody was waiting.
    signal.throwIfAborted();
    return value;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
