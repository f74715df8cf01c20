/**
 * Conversations under way. A client resends its whole history and names no session, so a request is recognised by its own
 * links: it goes on with the conversation it extends or repeats, and any other is a new one or a branch. What is remembered
 * here saves work alone: everything that matters is in the store.
 */
import type { Chain } from "../../core/transcript/links.ts";
import { protocols } from "../../protocols/index.ts";
import { type Decoded } from "../../protocols/protocol.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import type { ModelRoute } from "../request/routes.ts";
import { skipSpace, skipValue, type Span, applyEdits, type Edit } from "../../protocols/json.ts";
import type { ReasonedCalls } from "../quirks/dropped-reasoning.ts";
import type { Pending } from "./pending.ts";
import type { Economy, Runtime, RuntimeState } from "../../session/contract.ts";
import { definitions } from "../../protocols/registry.ts";
import { meansTheSame, withoutCacheMarkers } from "../../protocols/same-meaning.ts";

export interface Conversation {
  readonly runtime: Runtime;
  decoded: Decoded;
  links: readonly string[];
  readonly pricing: { economy: Economy | undefined };
  /** What its requests brought, until its provider takes them. */
  readonly pending: Pending;
  /** Requests that were refused as too large and are tried smaller, with what the runtime knew before. */
  readonly trials: Map<ReadRequest, RuntimeState>;
  /** Messages that the store is known to have, for a client that names no session. */
  kept?: number;
  weighs?: number;
  /** What went out last, as it was before markers were set. */
  outgoing?: Decoded | undefined;
  timing?: string;
  reasoned?: ReasonedCalls;
  /** What a person had set as its threshold when its last request was decided. */
  threshold?: string | undefined;
  /** It has gone out rewritten. */
  rewritten: boolean;
  /** Messages of the longest request that went out: one of no more is sent once more, and goes out as it did. */
  sent: number;
  /** Settles when the decision before is made: requests of one conversation are decided one after another. */
  turn: Promise<unknown>;
}

export interface ReadRequest {
  readonly decoded: Decoded;
  readonly links: readonly string[];
  /** Messages that came in another form than before, and are in `decoded` as they went out then. */
  readonly restored?: number;
}

/** The name of a conversation: the same for all of its requests. */
export function rootOf({ links, decoded }: ReadRequest): string {
  return links[0] ?? decoded.protocol;
}

/** What a conversation that nobody knows begins with; `relative` is one that it shares its beginning with. */
type StartConversation = (relative: Conversation | undefined) => Promise<ConversationStart>;

export type ConversationStart = Pick<Conversation, "runtime" | "sent" | "pricing" | "pending">;

export interface Conversations {
  /** @throws PrecisError as `Protocol.decode` does. */
  readonly read: (tenant: string, route: Pick<ModelRoute, "protocol" | "model">, text: string) => ReadRequest;
  /** The conversation that a request belongs to, begun where it is new. */
  readonly of: (tenant: string, reading: ReadRequest, begin: StartConversation) => Promise<Conversation>;
  /** The next request of it begins again, from what is kept. */
  readonly forget: (conversation: Conversation) => void;
  readonly size: () => number;
}

export interface ConversationLimits {
  readonly conversations: number;
  /** Messages of a request that is read. */
  readonly readMessages: number;
  /** Characters of the bodies that are remembered. */
  readonly conversationBytes: number;
}

/** Of a first message, this much is looked at to tell conversations apart at a glance. */
const OPENING_CHARS = 2_048;
/** Of its words, so many and so much of each. */
const [OPENING_WORDS, WORD_CHARS] = [32, 32];
/** What says how a message is written, and nothing of what it says. */
const FORM_WORDS: ReadonlySet<string> = new Set(
  "role user system developer content type message text input_text parts cache_control ephemeral ttl 5m 1h".split(" "),
);
/** White space is escaped in JSON, and may be gone where a message is written again. */
const ESCAPE = /\\(?:u[\da-fA-F]{4}|.)/g;
/** Conversations that open alike and are compared. */
const CANDIDATES_MAX = 8;

interface ConversationGroup {
  readonly opening: string;
  readonly conversations: Conversation[];
}

/** `restoring`: messages that come again in another form are read as they went out before. */
export function createConversations(chain: Chain, limits: ConversationLimits, restoring: boolean): Conversations {
  // In order of use: the first is the one that was not used for longest.
  const groups = new Map<string, ConversationGroup>();
  let [held, heldChars] = [0, 0];
  const drop = (group: ConversationGroup, conversation: Conversation): void => {
    group.conversations.splice(group.conversations.indexOf(conversation), 1);
    held--;
    heldChars -= weigh(conversation);
    if (group.conversations.length === 0) groups.delete(group.opening);
  };
  const makeRoom = (): void => {
    for (;;) {
      if (held <= limits.conversations && (held <= 1 || heldChars <= limits.conversationBytes)) return;
      const oldest = groups.values().next().value!;
      drop(oldest, oldest.conversations[0]!);
    }
  };
  const groupOf = (opening: string): ConversationGroup => {
    const group = groups.get(opening) ?? { opening, conversations: [] };
    groups.delete(opening);
    groups.set(opening, group);
    return group;
  };
  const keep = (group: ConversationGroup, conversation: Conversation, reading: ReadRequest): void => {
    const { conversations } = group;
    const at = conversations.indexOf(conversation);
    if (at >= 0) conversations.splice(at, 1);
    else held++;
    conversations.push(conversation);
    heldChars += weigh(reading) - (at >= 0 ? weigh(conversation) : 0);
    conversation.decoded = reading.decoded;
    conversation.links = reading.links;
    if (conversations.length > CANDIDATES_MAX) drop(group, conversations[0]!);
    makeRoom();
  };

  return {
    read: (tenant, { protocol, model }, text) => {
      const former = nearest(groups.get(readOpening(tenant, protocol, text))?.conversations ?? [], text);
      const { read, restored } = readAs(protocol, text, { former, elementsMax: limits.readMessages, restoring });
      const decoded = withModel(read, model);
      return { decoded, links: chain.linksOf(decoded.transcript.messages), restored };
    },
    of: async (tenant, reading, begin) => {
      const { decoded, links } = reading;
      const group = groupOf(readOpening(tenant, decoded.protocol, decoded.body));
      const relative = longestCommon(group.conversations, links);
      if (relative !== undefined && goesOn(relative, links)) {
        keep(group, relative, reading);
        return relative;
      }
      const began = await begin(relative);
      const rewritten = relative?.rewritten ?? false;
      const turn = Promise.resolve();
      const conversation: Conversation = { ...began, decoded, links, rewritten, turn, trials: new Map() };
      keep(groupOf(group.opening), conversation, reading);
      return conversation;
    },
    forget: (one) => [...groups.values()].filter(holding(one)).forEach((group) => drop(group, one)),
    size: () => held,
  };
}

interface Reading {
  readonly former: Decoded | undefined;
  readonly elementsMax: number;
  readonly restoring: boolean;
}

function readAs(protocol: ProtocolName, text: string, { former, elementsMax, restoring }: Reading) {
  const read = protocols[protocol].decode(text, former, elementsMax);
  if (!restoring) return { read, restored: 0 };
  const { body, restored } = withFormerBytes(former, read);
  return { read: restored === 0 ? read : protocols[protocol].decode(body, former), restored };
}

/** Where the path names the model, and not the body. */
function withModel(decoded: Decoded, model: string | undefined): Decoded {
  if (model === undefined) return decoded;
  return { ...decoded, transcript: Object.freeze({ ...decoded.transcript, model }) };
}

function holding(conversation: Conversation): (group: ConversationGroup) => boolean {
  return ({ conversations }) => conversations.includes(conversation);
}

/** In characters; what a message is beside its text weighs as much as a short text. */
const MESSAGE_CHARS = 1_000;

function weigh({ decoded, links }: ReadRequest): number {
  return decoded.body.length + links.length * MESSAGE_CHARS;
}

function readOpening(tenant: string, protocol: ProtocolName, text: string): string {
  return `${tenant}\n${protocol}\n${firstMessage(text, JSON.stringify(protocols[protocol].keys.messages))}`;
}

/** The first words of the first message, as far as they can be had without reading the body; two that differ may look alike. */
function firstMessage(text: string, key: string): string {
  const list = text.indexOf("[", text.indexOf(key) + key.length);
  const start = skipSpace(text, list + 1);
  try {
    const first = text.slice(start, Math.min(start + OPENING_CHARS, skipValue(text, start)));
    const words = (first.replaceAll(ESCAPE, " ").match(/[\p{L}\p{N}_]+/gu) ?? []).filter(
      (word) => !FORM_WORDS.has(word),
    );
    return words
      .slice(0, OPENING_WORDS)
      .map((word) => word.slice(0, WORD_CHARS))
      .join(" ");
  } catch {
    return "";
  }
}

/** The reading whose list a body begins with, or the newest. */
function nearest(candidates: readonly Conversation[], text: string): Decoded | undefined {
  const same = candidates.findLast(({ decoded: { body, layout } }) => {
    const end = layout.elements.at(-1)?.end ?? 0;
    return text.slice(0, end) === body.slice(0, end);
  });
  return (same ?? candidates.at(-1))?.decoded;
}

function longestCommon(candidates: readonly Conversation[], links: readonly string[]): Conversation | undefined {
  let longest: Conversation | undefined;
  let most = 0;
  for (const one of candidates) {
    const common = commonLength(one.links, links);
    if (common > 0 && common >= most) {
      longest = one;
      most = common;
    }
  }
  return longest;
}

/** A link names all that comes before it, so the last common one is found by halving. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  let low = 0;
  let high = Math.min(one.length, other.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (one[middle - 1] === other[middle - 1]) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** It extends what was there, or repeats a part of it: an agent that goes on, tries again, or rewinds. */
function goesOn({ links }: Conversation, newer: readonly string[]): boolean {
  return commonLength(links, newer) === Math.min(links.length, newer.length);
}

interface FormerBytes {
  readonly body: string;
  readonly restored: number;
}

/** Only from the beginning on: behind a message that means something else, the cache knows nothing anyway. */
function withFormerBytes(former: Decoded | undefined, now: Decoded): FormerBytes {
  if (former === undefined || beginsAlike(former, now)) return { body: now.body, restored: 0 };
  const { textBlock } = definitions[now.protocol];
  const edits: Edit[] = [];
  const elements = Math.min(former.layout.elements.length, now.layout.elements.length);
  for (let at = 0; at < elements; at++) {
    const place = now.layout.elements[at]!;
    const [before, is] = [textAt(former, former.layout.elements[at]!), textAt(now, place)];
    if (before === is) continue;
    if (!meansTheSame(before, is, { textBlock, isLast: at === now.layout.elements.length - 1 })) break;
    // What is marked has the form that a marker needs.
    const text = withoutCacheMarkers(is) === is ? withoutCacheMarkers(before) : is;
    if (text !== is) edits.push({ ...place, text });
  }
  return { body: applyEdits(now.body, edits), restored: edits.length };
}

function beginsAlike(former: Decoded, now: Decoded): boolean {
  const [start, end] = [former.layout.elements[0]?.start ?? 0, former.layout.elements.at(-1)?.end ?? 0];
  const from = now.layout.elements[0]?.start ?? 0;
  return now.body.slice(from, from + end - start) === former.body.slice(start, end);
}

function textAt({ body }: Decoded, { start, end }: Span): string {
  return body.slice(start, end);
}
