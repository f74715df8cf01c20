/** Until when a command runs that has no end of its own. */

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The first interruption; a second one ends the process at once, as it would any other. */
export function interruption(): Promise<void> {
  return new Promise((done) => {
    const interrupted = (): void => {
      for (const signal of SIGNALS) process.off(signal, interrupted);
      done();
    };
    for (const signal of SIGNALS) process.on(signal, interrupted);
    // Started by another process, it ends with that one.
    if (process.connected) process.once("disconnect", interrupted);
    process.channel?.unref();
  });
}
