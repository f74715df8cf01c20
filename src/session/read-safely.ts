/** Reads what a caller handed over: getters and proxies may throw, and then there is nothing to read. */
export function readSafely<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
