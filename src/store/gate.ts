/** Back-pressure: that much may be under way at once; what comes on top waits its turn, and not for ever. */
import { busyError } from "./refusals.ts";

export interface QueueLimits {
  /** Calls under way at once. */
  readonly calls: number;
  /** Bytes of what they carry; one larger call goes alone. */
  readonly bytes: number;
  /** Calls that wait to get under way; more are refused with `store_busy`. */
  readonly waitingCalls: number;
  /** How long one of them waits before it is refused, in milliseconds. */
  readonly waitMs: number;
}

export const QUEUE_LIMITS: QueueLimits = {
  calls: 1_024,
  bytes: 64 * 1024 * 1024,
  waitingCalls: 16_384,
  waitMs: 30_000,
};

export interface Gate {
  /** Resolves when there is room; `leave` with the same size when done. */
  readonly enter: (bytes: number) => Promise<void> | undefined;
  readonly leave: (bytes: number) => void;
}

interface QueuedCall {
  readonly bytes: number;
  readonly letIn: () => void;
}

export function createGate({ calls, bytes: bytesMax, waitingCalls, waitMs }: QueueLimits): Gate {
  const waiting = new Set<QueuedCall>();
  const inside = { calls: 0, bytes: 0 };
  const hasRoom = (bytes: number): boolean =>
    inside.calls === 0 || (inside.calls < calls && inside.bytes + bytes <= bytesMax);
  const admit = (bytes: number): void => {
    inside.calls++;
    inside.bytes += bytes;
  };
  return {
    enter: (bytes) => {
      if (waiting.size === 0 && hasRoom(bytes)) {
        admit(bytes);
        return undefined;
      }
      if (waiting.size >= waitingCalls) throw busyError(waiting.size);
      return new Promise((resolve, reject) => {
        const one: QueuedCall = {
          bytes,
          letIn: () => {
            clearTimeout(timer);
            resolve();
          },
        };
        const timer = setTimeout(() => {
          waiting.delete(one);
          reject(busyError(waiting.size));
        }, waitMs);
        waiting.add(one);
      });
    },
    leave: (bytes) => {
      inside.calls--;
      inside.bytes -= bytes;
      for (const next of waiting) {
        if (!hasRoom(next.bytes)) break;
        waiting.delete(next);
        admit(next.bytes);
        next.letIn();
      }
    },
  };
}
