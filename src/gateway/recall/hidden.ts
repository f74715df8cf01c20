/**
 * What was hidden from a client in an answer, kept so that it is in its place in every later request: the model keeps
 * what it recalled, its thinking stays bound to what came before it, and the provider's cache sees the same beginning.
 *
 * A record is under the link of the last message before the answer and is known by what the answer says, not by its
 * bytes: clients leave thinking out, join texts and write arguments again.
 */
import { PrecisError } from "../../core/errors.ts";
import type { Hash } from "../../core/transcript/links.ts";
import { callsOf, type Message } from "../../core/transcript/message.ts";
import { isFields, listOf, textOf } from "../../protocols/fields.ts";
import { protocols } from "../../protocols/index.ts";
import { type Decoded } from "../../protocols/protocol.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { ReadRequest } from "../conversations/conversations.ts";
import { withoutThinking } from "../quirks/thinking.ts";
import type { RecallLimits } from "./tool.ts";

/** An answer as the model gave it. Plain data. */
interface HiddenTurn {
  readonly protocol: ProtocolName;
  /** Of the answer as its client has it. */
  readonly fingerprint: string;
  /** JSON text of the wire messages that stand for it. */
  readonly messages: string;
  /** Answers to hidden calls of its last message, which stand with those that the client gives to its own. */
  readonly results: readonly HiddenResult[];
}

export interface HiddenResult {
  readonly callId: string;
  readonly text: string;
}

export interface HiddenTurns {
  /** The same reading where nothing was hidden. @throws PrecisError of the store. */
  readonly restored: (tenant: string, reading: ReadRequest) => Promise<Decoded>;
  /** In memory at once. @throws PrecisError of the store. */
  readonly keep: (tenant: string, link: string, turn: HiddenTurn) => Promise<void>;
  readonly fingerprintOf: (messages: readonly Message[], hiddenIds: ReadonlySet<string>) => string;
}

interface HiddenOptions {
  readonly store: Pick<HistoryStore, "getState" | "putState">;
  readonly hash: Hash;
  readonly limits: Pick<RecallLimits, "remembered" | "rememberedChars">;
}

const SCHEMA_VERSION = 1;
/** Answers to one and the same request: a client that tries again. */
const ALTERNATIVES_MAX = 4;
/** What an entry weighs beside its texts, in characters. */
const ENTRY_CHARS = 200;

interface ExpandedTurn extends HiddenTurn {
  /** Made when it is first needed; the same objects from then on. */
  expansion: Expansion | undefined;
}

interface Expansion {
  readonly whole: readonly Message[];
  /** For a client that sends no thinking back. */
  readonly plain: readonly Message[];
}

export function createHiddenTurns({ store, hash, limits }: HiddenOptions): HiddenTurns {
  const { remembered: entries, rememberedChars: chars } = limits;
  const known = remembered<readonly ExpandedTurn[]>({ entries, chars, weigh: weighTurn });
  const fingerprintOf = fingerprinter(hash);
  const turnsAt = (tenant: string, link: string): readonly ExpandedTurn[] | Promise<readonly ExpandedTurn[]> =>
    known.get(turnKey(tenant, link)) ?? load(tenant, link);
  const load = async (tenant: string, link: string): Promise<readonly ExpandedTurn[]> => {
    const state = await store.getState(tenant, stateName(link));
    const key = turnKey(tenant, link);
    // It may have been kept meanwhile.
    const turns = known.get(key) ?? parseTurns(state);
    known.set(key, turns);
    return turns;
  };
  return {
    fingerprintOf,
    restored: async (tenant, { decoded, links }) => {
      const { messages } = decoded.transcript;
      const found = await Promise.all(
        messages.map(({ role }, at) => (role === "assistant" && at > 0 ? turnsAt(tenant, links[at - 1]!) : NONE)),
      );
      let hides = false;
      const withHidden = messages.flatMap((message, at) => {
        const expansion = expandTurn(message, found[at]!, { protocol: decoded.protocol, fingerprintOf });
        if (expansion === undefined) return message;
        hides = true;
        return message.parts.some(({ kind }) => kind === "reasoning") ? expansion.whole : expansion.plain;
      });
      if (!hides) return decoded;
      return { ...decoded, transcript: Object.freeze({ ...decoded.transcript, messages: Object.freeze(withHidden) }) };
    },
    keep: async (tenant, link, turn) => {
      const before = await Promise.resolve(turnsAt(tenant, link)).catch(() => NONE);
      const others = before.filter((one) => one.fingerprint !== turn.fingerprint);
      const turns = [{ ...turn, expansion: undefined }, ...others].slice(0, ALTERNATIVES_MAX);
      known.set(turnKey(tenant, link), turns);
      await store.putState(tenant, stateName(link), {
        schemaVersion: SCHEMA_VERSION,
        turns: turns.map(({ expansion: _, ...plain }) => plain),
      });
    },
  };
}

function turnKey(tenant: string, link: string): string {
  return `${tenant}\n${link}`;
}

/** What is said and which calls are the client's: the same for an answer as it was streamed and as it is sent back. */
function fingerprinter(hash: Hash): HiddenTurns["fingerprintOf"] {
  const known = new WeakMap<Message, string>();
  const compute = (messages: readonly Message[], hiddenIds: ReadonlySet<string>): string => {
    const replies = messages.filter(({ role }) => role === "assistant");
    const text = replies.flatMap(({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : ""))).join("");
    const calls = replies.flatMap(callsOf).filter(({ id }) => !hiddenIds.has(id));
    return hash([text.replaceAll(/\s+/g, ""), ...calls.map(({ id, name }) => `${id} ${name}`)].join("\u0000"));
  };
  return (messages, hiddenIds) => {
    const [only] = messages;
    if (only === undefined || messages.length > 1 || hiddenIds.size > 0) return compute(messages, hiddenIds);
    const value = known.get(only) ?? compute(messages, hiddenIds);
    known.set(only, value);
    return value;
  };
}

const NO_IDS: ReadonlySet<string> = new Set();

function expandTurn(
  message: Message,
  turns: readonly ExpandedTurn[],
  { protocol, fingerprintOf }: { readonly protocol: ProtocolName } & Pick<HiddenTurns, "fingerprintOf">,
): Expansion | undefined {
  if (turns.length === 0) return undefined;
  const fingerprint = fingerprintOf([message], NO_IDS);
  const turn = turns.find((one) => one.protocol === protocol && one.fingerprint === fingerprint);
  return turn === undefined ? undefined : (turn.expansion ??= expanded(turn));
}

const NONE: readonly ExpandedTurn[] = Object.freeze([]);

function stateName(link: string): string {
  return `recalled:${link}`;
}

function weighTurn(turns: readonly ExpandedTurn[]): number {
  return turns.reduce((sum, { messages }) => sum + messages.length, ENTRY_CHARS);
}

/** What another version kept is not known here. */
function parseTurns(state: unknown): readonly ExpandedTurn[] {
  if (!isFields(state) || state["schemaVersion"] !== SCHEMA_VERSION) return NONE;
  return listOf(state["turns"]).flatMap((turn) => (isTurn(turn) ? { ...turn, expansion: undefined } : []));
}

function isTurn(value: unknown): value is HiddenTurn {
  if (!isFields(value)) return false;
  const { protocol, fingerprint, messages, results } = value;
  return (
    Object.hasOwn(protocols, textOf(protocol) ?? "") &&
    [fingerprint, messages].every((text) => typeof text === "string") &&
    Array.isArray(results)
  );
}

/** Messages with the bytes in which they went out, then the results, which have none: they join those of the client. */
function expanded({ protocol, messages, results }: HiddenTurn): Expansion | undefined {
  try {
    const { transcript } = protocols[protocol].decode(messages);
    const whole = [...transcript.messages, ...results.map(resultMessage)];
    const plain = withoutThinking({ system: [], messages: whole }).messages;
    return { whole, plain };
  } catch (error) {
    if (error instanceof PrecisError) return undefined;
    throw error;
  }
}

export function resultMessage({ callId, text }: HiddenResult): Message {
  const content = Object.freeze([Object.freeze({ kind: "text", text } as const)]);
  return Object.freeze({
    role: "tool",
    parts: Object.freeze([Object.freeze({ kind: "tool-result", callId, content } as const)]),
  });
}

interface Remembered<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
}

interface RememberedOptions<Value> {
  readonly entries: number;
  readonly chars: number;
  readonly weigh: (value: Value) => number;
}

function remembered<Value>({ entries, chars, weigh }: RememberedOptions<Value>): Remembered<Value> {
  // In order of use.
  const known = new Map<string, Value>();
  let heldChars = 0;
  const drop = (key: string): void => {
    const value = known.get(key);
    if (value === undefined) return;
    heldChars -= weigh(value);
    known.delete(key);
  };
  return {
    get: (key) => {
      const value = known.get(key);
      if (value === undefined) return undefined;
      known.delete(key);
      known.set(key, value);
      return value;
    },
    set: (key, value) => {
      drop(key);
      known.set(key, value);
      heldChars += weigh(value);
      for (const oldest of known.keys()) {
        if (oldest === key || (known.size <= entries && heldChars <= chars)) return;
        drop(oldest);
      }
    },
  };
}
