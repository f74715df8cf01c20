/** Work that nobody waits for: a few jobs at a time, a bounded number waiting, and one a conversation. */

export interface Background {
  /** Runs later, in place of what waits about the same; not at all where that runs already, or too much waits. */
  readonly add: (about: object, job: (signal: AbortSignal) => Promise<void>) => void;
  /** When nothing runs or waits. */
  readonly settled: () => Promise<void>;
  /** Drops what waits, ends what runs. */
  readonly close: () => Promise<void>;
}

export interface BackgroundLimits {
  readonly background: number;
  readonly backgroundWaiting: number;
}

export function createBackground(limits: BackgroundLimits): Background {
  const waiting = new Map<object, (signal: AbortSignal) => Promise<void>>();
  const running = new Set<object>();
  const stop = new AbortController();
  let whenSettled: (() => void)[] = [];

  const next = (): void => {
    if (running.size >= limits.background) return;
    const first = waiting.entries().next();
    if (first.done === true) {
      if (running.size === 0) for (const done of whenSettled.splice(0)) done();
      return;
    }
    const [about, job] = first.value;
    waiting.delete(about);
    running.add(about);
    // Answers that are on their way come first.
    setImmediate(() => {
      void job(stop.signal)
        .catch(() => undefined)
        .finally(() => {
          running.delete(about);
          next();
        });
    });
  };
  const settled = (): Promise<void> =>
    running.size + waiting.size === 0
      ? Promise.resolve()
      : new Promise((done) => void (whenSettled = [...whenSettled, done]));
  return {
    add: (about, job) => {
      if (stop.signal.aborted || running.has(about)) return;
      if (waiting.size >= limits.backgroundWaiting && !waiting.has(about)) return;
      waiting.set(about, job);
      next();
    },
    settled,
    close: () => {
      waiting.clear();
      stop.abort();
      return settled();
    },
  };
}
