/**
 * What happens in the gateway as server-sent events, for pages that show it while it happens. An event says what kind of
 * thing happened to whom, and the page asks for the rest: nothing here can be out of date or too large.
 */
import type { EmitEvent, GatewayEvent } from "../contract.ts";

export const FEED_LIMITS = Object.freeze({
  /** Pages that listen at the same time. */
  listeners: 32,
  /** Events that wait for a slow page; it misses those after them, and asks anew with the next one. */
  waitingEvents: 100,
  /** How often something is sent, so that nothing in between takes the connection for dead. */
  keepAliveMs: 15_000,
});

export interface EventFeed {
  readonly onEvent: EmitEvent;
  /** Undefined where too many listen. Ends with the signal, or when the feed is closed. */
  readonly listen: (signal: AbortSignal) => ReadableStream<Uint8Array> | undefined;
  /** Ends every stream, so that the gateway can stop. */
  readonly close: () => void;
}

interface Listener {
  readonly send: (text: string) => void;
  readonly end: () => void;
}

const encoder = new TextEncoder();

export function createEventFeed(): EventFeed {
  const listeners = new Set<Listener>();
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const sendAll = (text: string): void => listeners.forEach(({ send }) => send(text));
  const leave = (listener: Listener): void => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const join = (listener: Listener): void => {
    listeners.add(listener);
    timer ??= setInterval(() => sendAll(": alive\n\n"), FEED_LIMITS.keepAliveMs).unref();
  };
  return {
    onEvent: (event) => {
      if (listeners.size > 0) sendAll(`data: ${JSON.stringify(plainEvent(event))}\n\n`);
    },
    listen: (signal) => (closed || listeners.size >= FEED_LIMITS.listeners ? undefined : streamTo(join, leave, signal)),
    close: () => {
      closed = true;
      for (const { end } of listeners) end();
    },
  };
}

/** No name that a client chose is in it. */
function plainEvent(event: GatewayEvent): object {
  const { kind, tenant } = event;
  return event.kind === "notice" ? { kind, tenant, code: event.code } : { kind, tenant };
}

function streamTo(
  join: (listener: Listener) => void,
  leave: (listener: Listener) => void,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let listener: Listener;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const end = (): void => {
          leave(listener);
          signal.removeEventListener("abort", end);
          try {
            controller.close();
          } catch {
            // It was closed by the other side.
          }
        };
        const send = (text: string): void => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text));
        };
        listener = { send, end };
        join(listener);
        signal.addEventListener("abort", end, { once: true });
        send(": listening\n\n");
      },
      cancel: () => leave(listener),
    },
    { highWaterMark: FEED_LIMITS.waitingEvents },
  );
}
