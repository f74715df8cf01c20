/** What a session tells its host while it works. To the operator, never to the model (reference/004). */
import type { Compaction, CompactionReport, Irreducible } from "../core/compaction/compaction.ts";

export interface SessionEvents {
  /** The window is filled to 85 % of the threshold: once, until usage falls below again (reference/000). */
  readonly pressure: { readonly tokens: number; readonly pressureTokens: number; readonly thresholdTokens: number };
  readonly compacted: { readonly compaction: Compaction };
  /** A compaction is poorer than it should be, or none ran although one was due. */
  readonly degraded: { readonly because: readonly string[]; readonly report?: CompactionReport };
  readonly irreducible: Irreducible;
}

export type EventName = keyof SessionEvents;
export type Listener<Name extends EventName> = (event: SessionEvents[Name]) => void;

export interface Events {
  /** Answers with a function that ends the subscription. */
  readonly on: <Name extends EventName>(name: Name, listener: Listener<Name>) => () => void;
  readonly emit: <Name extends EventName>(name: Name, event: SessionEvents[Name]) => void;
}

export function createEvents(): Events {
  const listeners = new Map<EventName, Set<(event: never) => void>>();
  return {
    on: (name, listener) => {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    emit: (name, event) => {
      for (const listener of listeners.get(name) ?? []) (listener as (event: unknown) => void)(event);
    },
  };
}
