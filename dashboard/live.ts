/** What happens in the gateway, while it happens: one stream for the page, opened again when it breaks off. */
import { useEffect, useRef, useState } from "preact/hooks";
import { readEvents } from "./api.ts";

export interface LiveEvent {
  readonly kind: "request" | "compaction" | "notice" | "recall";
  readonly tenant: string;
  readonly code?: string;
}

const RETRY_MS = 5_000;
/** Several events at once lead to one reload. */
const CALM_MS = 400;

type Listener = (event: LiveEvent) => void;
const listeners = new Set<Listener>();
const watchers = new Set<(connected: boolean) => void>();
let connected = false;

function setConnected(is: boolean): void {
  connected = is;
  for (const watch of watchers) watch(is);
}

/** Keeps the stream open until the signal aborts. */
export async function keepListening(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const hear = (text: string): void => {
      const event = JSON.parse(text) as LiveEvent;
      for (const listener of listeners) listener(event);
    };
    await readEvents(hear, () => setConnected(true), signal).catch(() => undefined);
    setConnected(false);
    if (!signal.aborted) await new Promise((next) => setTimeout(next, RETRY_MS));
  }
}

/** Calls back a moment after something happened. */
export function useLive(then: () => void): void {
  const latest = useRef(then);
  latest.current = then;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hear = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        latest.current();
      }, CALM_MS);
    };
    listeners.add(hear);
    return () => {
      listeners.delete(hear);
      clearTimeout(timer);
    };
  }, []);
}

export function useConnected(): boolean {
  const [is, set] = useState(connected);
  useEffect(() => {
    watchers.add(set);
    return () => void watchers.delete(set);
  }, []);
  return is;
}
