/**
 * What is kept does not grow for ever: what was not used for so long goes, and the longest unused before the store is full.
 * A store from before there was such a bound is left alone for some days after its owner was told.
 */
import type { EmitEvent } from "../contract.ts";
import type { HistoryStore } from "../../store/store.ts";

export interface RetentionLimits {
  /** What was not used for longer goes. */
  readonly unusedMs?: number;
  /** From nine tenths of this on, the longest unused goes until it is down to eight. */
  readonly bytesMax?: number;
}

export interface RetentionTaskOptions extends RetentionLimits {
  readonly store: HistoryStore;
  /** Nothing goes before this time. */
  readonly notBefore?: number;
  readonly onEvent: EmitEvent;
  readonly now: () => number;
}

export interface RetentionTask {
  readonly look: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const RETENTION_LIMITS = Object.freeze({
  /** How often the size is looked at. */
  lookEveryMs: 30_000,
  /** How often what is too old goes. */
  ageEveryMs: 60 * 60 * 1_000,
  /** An original is kept before the compaction that names it, which may take so long. What no conversation names by then is a guest's. */
  looseMs: 60_000,
  beginAt: 0.9,
  endAt: 0.8,
  /** What a gateway without a store of its own keeps, of bodies. */
  memoryBytes: 256 * 1024 * 1024,
  unusedMs: 30 * 24 * 60 * 60 * 1_000,
});

export function createKeeper(options: RetentionTaskOptions): RetentionTask {
  const { store, unusedMs, bytesMax, notBefore = 0, onEvent, now } = options;
  let agedAt = -Infinity;
  let looking: Promise<void> | undefined;
  const tooLarge = async (): Promise<boolean> => {
    if (bytesMax === undefined) return false;
    return (await store.size()) > bytesMax * RETENTION_LIMITS.beginAt;
  };
  const retain = async (): Promise<void> => {
    if (now() < notBefore) return;
    const aged = unusedMs !== undefined && now() - agedAt >= RETENTION_LIMITS.ageEveryMs;
    const large = await tooLarge();
    if (!aged && !large) return;
    if (aged) agedAt = now();
    const before = await store.holdings();
    const left = await store.retain({
      ...(unusedMs === undefined ? {} : { before: now() - unusedMs }),
      ...(large
        ? { maxFileBytes: bytesMax! * RETENTION_LIMITS.endAt, looseBefore: now() - RETENTION_LIMITS.looseMs }
        : {}),
    });
    const sessions = before.sessions - left.sessions;
    if (sessions <= 0) return;
    const why = large ? "the store was nearly full" : "they were not used for a long time";
    const message = `deleted ${sessions} ${sessions === 1 ? "session" : "sessions"}: ${why}`;
    onEvent({ kind: "notice", code: "retention", tenant: "", message });
  };
  // A store that fails says so at the next request.
  const look = (): Promise<void> => {
    looking ??= retain()
      .catch(() => undefined)
      .finally(() => void (looking = undefined));
    return looking;
  };
  const timer = setInterval(() => void look(), RETENTION_LIMITS.lookEveryMs).unref();
  return {
    look,
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
