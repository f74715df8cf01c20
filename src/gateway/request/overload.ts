/**
 * Whether the process has more to do than it can: its event loop is late all the time, or too many requests are being prepared
 * at once, for example because the store is slow. Requests are then forwarded unread, which takes next to nothing.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { EmitEvent } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";

export interface Overload {
  readonly isOver: () => boolean;
  /** A request is being read and prepared. */
  readonly during: <Answer>(work: () => Promise<Answer>) => Promise<Answer>;
  readonly close: () => void;
}

export interface OverloadParts {
  readonly limits: Pick<GatewayLimits, "eventLoopDelayMs" | "preparing">;
  readonly onEvent: EmitEvent;
  /** How often the delay is looked at, in milliseconds; default 2,000: one long task is no overload. */
  readonly lookMs?: number;
  /** The mean delay of the event loop since the last call, in milliseconds; Node's own measure by default. */
  readonly delayMs?: () => number;
}

/** Long enough that one long task is no overload. */
const LOOK_MS = 2_000;
const RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;
/** It is over when the delay is down to this share of its limit. */
const END_SHARE = 0.5;

export function createOverload({ limits, onEvent, delayMs, lookMs = LOOK_MS }: OverloadParts): Overload {
  let preparing = 0;
  let isLate = false;
  let wasOver = false;
  let lookedAt = performance.now();
  const measure = delayMs === undefined ? createMeasure() : { delayMs, close: () => undefined };
  const look = (): void => {
    if (performance.now() - lookedAt < lookMs) return;
    lookedAt = performance.now();
    isLate = measure.delayMs() >= limits.eventLoopDelayMs * (isLate ? END_SHARE : 1);
  };
  const isOver = (): boolean => {
    look();
    const over = isLate || preparing >= limits.preparing;
    if (over !== wasOver) onEvent({ kind: "notice", code: "overloaded", tenant: "", message: said(over, isLate) });
    wasOver = over;
    return over;
  };
  return {
    isOver,
    during: async (work) => {
      preparing += 1;
      try {
        return await work();
      } finally {
        preparing -= 1;
      }
    },
    close: measure.close,
  };
}

function createMeasure() {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    delayMs: (): number => {
      const { mean } = histogram;
      histogram.reset();
      return Number.isNaN(mean) ? 0 : mean / NS_PER_MS - RESOLUTION_MS;
    },
    close: () => void histogram.disable(),
  };
}

function said(over: boolean, isLate: boolean): string {
  if (!over) return "requests are read again";
  return `${isLate ? "the event loop is late all the time" : "too many requests are being prepared at once"}: requests are forwarded unread`;
}
