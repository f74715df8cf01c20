/** Data of a tenant that all gateways on a store share: held in memory, written behind, and read again from time to time. */
import type { HistoryStore } from "../../store/store.ts";

export type StateStore = Pick<HistoryStore, "getState" | "putState">;

export interface KeptStates<Value> {
  readonly get: (tenant: string, name: string) => Value;
  /** Until the process ends, or the value is put. */
  readonly hold: (tenant: string, name: string, value: Value) => void;
  /** Held, and written with what others have written meanwhile. Without the store it is only held. */
  readonly put: (tenant: string, name: string, value: Value) => void;
  /**
   * What was kept before this process began is waited for, and where the value `matters` what others have written since;
   * otherwise that is read in the background. Nobody waits for a store that did not answer last.
   */
  readonly load: (tenant: string, name: string, matters?: (value: Value) => boolean) => Promise<void> | undefined;
}

export interface StateKind<Value> {
  readonly initial: (name: string) => Value;
  /** Undefined for what is no such state. */
  readonly parse: (state: unknown) => Value | undefined;
  readonly merge: (kept: Value, held: Value) => Value;
  readonly serialize: (value: Value) => unknown;
}

/** States of all tenants that are held. */
const STATES_MAX = 1_024;
/** What other gateways on the same store write is read this often. */
const REFRESH_MS = 30_000;

interface Held<Value> {
  value: Value;
  readAt: number | undefined;
  loading: Promise<void> | undefined;
  failed: boolean;
}

export function createKeptStates<Value>(
  store: StateStore,
  now: () => number,
  kind: StateKind<Value>,
): KeptStates<Value> {
  const states = new Map<string, Held<Value>>();
  const heldOf = (tenant: string, name: string): Held<Value> => {
    const key = `${tenant}\n${name}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    const held = { value: kind.initial(name), readAt: undefined, loading: undefined, failed: false };
    if (states.size >= STATES_MAX) states.delete(states.keys().next().value!);
    states.set(key, held);
    return held;
  };
  const read = async (tenant: string, name: string, held: Held<Value>): Promise<void> => {
    const state = await store.getState(tenant, name).catch(() => FAILED);
    const kept = state === FAILED ? undefined : kind.parse(state);
    if (kept !== undefined) held.value = kind.merge(kept, held.value);
    Object.assign(held, { failed: state === FAILED, readAt: now(), loading: undefined });
  };
  const write = async (tenant: string, name: string, held: Held<Value>): Promise<void> => {
    await read(tenant, name, held);
    await store.putState(tenant, name, kind.serialize(held.value)).catch(() => undefined);
  };
  return {
    get: (tenant, name) => heldOf(tenant, name).value,
    hold: (tenant, name, value) => void (heldOf(tenant, name).value = value),
    put: (tenant, name, value) => {
      const held = heldOf(tenant, name);
      held.value = value;
      void write(tenant, name, held);
    },
    load: (tenant, name, matters = () => false) => {
      const held = heldOf(tenant, name);
      const waits = !held.failed && (held.readAt === undefined || matters(held.value));
      if (waits || now() - (held.readAt ?? 0) > REFRESH_MS) held.loading ??= read(tenant, name, held);
      return waits ? held.loading : undefined;
    },
  };
}

const FAILED = Symbol("the store did not answer");
