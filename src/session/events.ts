/**
 * What a session tells its host while it works. To the operator, never to the model: models that were warned of a full
 * window gave up early (Hermes Agent docs).
 */
import type { Compaction, CompactionReport, Irreducible } from "../core/compaction/compaction.ts";
import { PrecisError } from "../core/errors.ts";
import type { FaultKind } from "../plugins/fault.ts";
import type { Cooldown } from "./cooldowns.ts";
import type { CompactionTiming, Postponement } from "./timing.ts";

export interface SessionEvents {
  /** The conversation is 85 % of the way to its threshold: once, until usage falls below again. */
  readonly pressure: CompactionTiming & { readonly tokens: number; readonly pressureTokens: number };
  /** A compaction is due and is not made for now: once for each reason, until it is made or no longer due. */
  readonly postponed: Postponement & CompactionTiming & { readonly tokens: number };
  readonly compacted: { readonly compaction: Compaction };
  /** A compaction is poorer than it should be, or none ran although one was due. */
  readonly degraded: { readonly because: readonly string[]; readonly report?: CompactionReport };
  /** A model failed and is not asked for some time: once for each such time. */
  readonly modelResting: Cooldown & {
    /** One line that says so, for how long, and what to do about it. */
    readonly because: string;
  };
  readonly irreducible: Irreducible;
  /** An engine that is not built in failed or broke its contract: the session goes on with the built-in from here. */
  readonly engineDisabled: DisabledEngine;
}

export interface DisabledEngine {
  /** The engine that was disabled. */
  readonly engine: string;
  readonly fault: FaultKind;
  /** One line without anything of the conversation. */
  readonly because: string;
  /** One more line, for the engine's author; it may quote the conversation. */
  readonly detail: string;
}

type EventName = keyof SessionEvents;

const EVENTS: Readonly<Record<EventName, true>> = {
  pressure: true,
  postponed: true,
  compacted: true,
  degraded: true,
  modelResting: true,
  irreducible: true,
  engineDisabled: true,
};
type Listener<Name extends EventName> = (event: SessionEvents[Name]) => void;

export interface Events {
  /**
   * Answers with a function that ends the subscription.
   *
   * @throws PrecisError `unknown_event` for a name that is no event's, `bad_options` for a listener that is no function.
   */
  readonly on: <Name extends EventName>(name: Name, listener: Listener<Name>) => () => void;
  readonly emit: <Name extends EventName>(name: Name, event: SessionEvents[Name]) => void;
}

export function createEvents(): Events {
  const listeners = new Map<EventName, Set<(event: never) => void>>();
  return {
    on: (name, listener) => {
      if (!Object.hasOwn(EVENTS, name)) throw unknownEvent(String(name));
      if (typeof listener !== "function") throw noListener(name);
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    emit: (name, event) => {
      for (const listener of listeners.get(name) ?? []) (listener as (event: unknown) => void)(event);
    },
  };
}

function unknownEvent(name: string): PrecisError {
  return new PrecisError(`There is no event \`${name}\`.`, {
    code: "unknown_event",
    place: "on",
    hint: `The events are: ${Object.keys(EVENTS).join(", ")}.`,
  });
}

function noListener(name: string): PrecisError {
  return new PrecisError(`The listener of \`${name}\` is not a function.`, {
    code: "bad_options",
    place: "on",
    hint: "Pass a function that takes the event.",
  });
}

/** Compactions that are made and not in effect yet, shared by processes. */
export interface SharedAhead {
  readonly put: (compaction: Compaction) => Promise<void>;
  /** The one that covers most of a conversation, given its links. */
  readonly find: (links: readonly string[]) => Promise<Compaction | undefined>;
  /** It is in effect now, or is no use any more. */
  readonly drop: (compaction: Compaction) => void;
}

/** What several sessions may spend together. */
export interface SharedBudget {
  /** Why no model may be asked now; undefined where one may. */
  readonly withheld: () => string | undefined;
  /** A call was answered; its price where it is known. */
  readonly spent: (costUsd: number) => void;
}
