/**
 * What a person pinned in a conversation, kept beside it in the store: messages by their links, so that branches share them, and
 * facts by the conversation's first link. A compaction gets them as data.
 */
import { NO_PINS, wholeExchanges, type Pins } from "../core/compaction/keep-messages.ts";
import { PrecisError } from "../core/errors.ts";
import type { Chain } from "../core/transcript/links.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { HistoryStore, Store } from "../store/store.ts";
import { rangesIn } from "../core/recall/messages.ts";

/** What is to be pinned: one of both. */
export interface PinRequest {
  /** Numbers of messages, from 1: `12`, `12-14`. */
  readonly messages?: string;
  /** A sentence that every handoff states word for word. */
  readonly fact?: string;
}

export interface Pin {
  /** `p` and six hexadecimal digits. */
  readonly id: string;
  readonly messages?: { readonly from: number; readonly to: number };
  readonly fact?: string;
}

const PIN_LIMITS = Object.freeze({
  /** Of one conversation. */
  pins: 100,
  factChars: 1_000,
  /** Of all facts of a conversation together. */
  factsChars: 10_000,
});

interface PinnedRange {
  readonly id: string;
  /** Links of the first and the last message. */
  readonly from: string;
  readonly to: string;
}

interface PinnedFact {
  readonly id: string;
  readonly fact: string;
}

interface Pinned {
  readonly schemaVersion: typeof SCHEMA_VERSION;
  readonly pins: readonly (PinnedRange | PinnedFact)[];
}

const SCHEMA_VERSION = 1;
const ID_HEX_DIGITS = 6;

type PinStore = Pick<HistoryStore, "getState" | "putState">;

export interface PinContext {
  readonly store: PinStore;
  readonly tenant: string;
  readonly chain: Chain;
  readonly links: readonly string[];
}

interface PinOwner {
  readonly store: Store;
  readonly tenant: string;
  readonly chain: Chain;
  /** Where the store keeps nothing beside compactions. */
  readonly pinned: Map<string, unknown>;
}

/** For a compaction, as indices. */
export async function pinsOf(context: PinOwner, original: Transcript): Promise<Pins> {
  const { messages } = original;
  const own = pinContext(context, original);
  const listed = await listPins(own);
  if (listed.length === 0) return NO_PINS;
  const indices = listed.flatMap(({ messages: range }) =>
    range === undefined ? [] : Array.from({ length: range.to - range.from + 1 }, (_, at) => range.from - 1 + at),
  );
  return { messages: wholeExchanges(messages, indices), facts: listed.flatMap(({ fact }) => fact ?? []) };
}

export function pinContext(context: PinOwner, { messages }: Transcript): PinContext {
  const { store, tenant, chain, pinned } = context;
  return { store: findStateStore(store) ?? inMemory(pinned), tenant, chain, links: chain.linksOf(messages) };
}

function findStateStore(store: Store): PinStore | undefined {
  return "getState" in store && "putState" in store ? (store as Store & PinStore) : undefined;
}

function inMemory(pinned: Map<string, unknown>): PinStore {
  return {
    getState: async (_, name) => pinned.get(name),
    putState: async (_, name, state) => void pinned.set(name, state),
  };
}

/** Those that hold for these messages: a range of another branch does not. @throws PrecisError of the store. */
export async function listPins({ links, ...context }: PinContext): Promise<readonly Pin[]> {
  return (await read({ ...context, links })).pins.flatMap((one): readonly Pin[] => {
    if ("fact" in one) return [one];
    const [from, to] = [links.indexOf(one.from), links.indexOf(one.to)];
    return from < 0 || to < from ? [] : [{ id: one.id, messages: { from: from + 1, to: to + 1 } }];
  });
}

/** @throws PrecisError `bad_range`, `bad_pin`, `too_many_pins`, and of the store. */
export async function addPin(context: PinContext, { messages, fact }: PinRequest): Promise<Pin> {
  if ((messages === undefined) === (fact === undefined)) throw badPin("a pin is either messages or a fact");
  const made = fact === undefined ? rangeToPin(context, messages!) : factToPin(context, fact);
  const { pins } = await read(context);
  const others = pins.filter(({ id }) => id !== made.id);
  const next = [...others, made];
  const factChars = next.reduce((sum, one) => sum + ("fact" in one ? one.fact.length : 0), 0);
  if (next.length > PIN_LIMITS.pins || factChars > PIN_LIMITS.factsChars)
    throw new PrecisError(
      `a conversation has at most ${PIN_LIMITS.pins} pins, and ${PIN_LIMITS.factsChars} characters of facts`,
      { code: "too_many_pins", hint: "Unpin what is no longer needed." },
    );
  await write(context, next);
  return (await listPins(context)).find(({ id }) => id === made.id)!;
}

/** False where there is no such pin. @throws PrecisError of the store. */
export async function removePin(context: PinContext, id: string): Promise<boolean> {
  const { pins } = await read(context);
  const left = pins.filter((one) => one.id !== id);
  if (left.length === pins.length) return false;
  await write(context, left);
  return true;
}

function rangeToPin({ links, chain }: PinContext, text: string): PinnedRange {
  const { from, to } = rangeOfMessages(text, links.length);
  const ends = { from: links[from - 1]!, to: links[to - 1]! };
  return { id: makePinId(chain, `${ends.from} ${ends.to}`), ...ends };
}

function factToPin({ chain, links }: PinContext, given: string): PinnedFact {
  const fact = given.replaceAll(/\s+/g, " ").trim();
  if (fact === "" || fact.length > PIN_LIMITS.factChars)
    throw badPin(`a fact has 1 to ${PIN_LIMITS.factChars} characters`);
  if (links.length === 0) throw badPin("the conversation has no messages");
  return { id: makePinId(chain, fact), fact };
}

function makePinId({ hash }: Chain, text: string): string {
  return `p${hash(text).slice(0, ID_HEX_DIGITS)}`;
}

function badPin(message: string): PrecisError {
  return new PrecisError(message, { code: "bad_pin", hint: "Give `messages` such as 12-14, or `fact`, one sentence." });
}

function stateName(links: readonly string[]): string {
  return `pinned:${links[0] ?? ""}`;
}

async function read({ store, tenant, links }: Omit<PinContext, "chain">): Promise<Pinned> {
  const state = await store.getState(tenant, stateName(links));
  return isPinned(state) ? state : { schemaVersion: SCHEMA_VERSION, pins: [] };
}

function write({ store, tenant, links }: PinContext, pins: Pinned["pins"]): Promise<void> {
  return store.putState(tenant, stateName(links), { schemaVersion: SCHEMA_VERSION, pins } satisfies Pinned);
}

function isPinned(state: unknown): state is Pinned {
  if (typeof state !== "object" || state === null) return false;
  const { schemaVersion, pins } = state as Partial<Pinned>;
  return schemaVersion === SCHEMA_VERSION && Array.isArray(pins);
}

/** One range of messages that are there, from 1. @throws PrecisError `bad_range`. */
export function rangeOfMessages(text: string, count: number): { readonly from: number; readonly to: number } {
  const [range, ...more] = rangesIn(text) ?? [];
  const to = Math.min(range?.to ?? 0, range?.to === Infinity ? count : Infinity);
  if (range !== undefined && more.length === 0 && range.from >= 1 && to >= range.from && to <= count)
    return { from: range.from, to };
  throw new PrecisError(`"${text.slice(0, SHOWN_CHARS)}" is no range of its ${count} messages`, {
    code: "bad_range",
    hint: "Write one number or one range of message numbers, for example 12 or 12-14.",
  });
}

const SHOWN_CHARS = 40;
