/**
 * The hash chain: link(i) = hash(link(i-1), canonical(message i)) is the identity of a prefix. It keys the store,
 * the compaction records and the cache planner. Canonical form leaves out reasoning and everything that real
 * clients change between requests (cache markers never reach a part), so a resent history keeps its links.
 */
import type { Message, Part } from "./message.ts";

/** A hexadecimal digest of the text; handed in, because core reaches for nothing. */
export type Hash = (text: string) => string;

export interface Chain {
  readonly hash: Hash;
  /** Content hash of one message. */
  readonly hashOf: (message: Message) => string;
  /** One link a message; `links[i]` identifies `messages[0..i]`. */
  readonly linksOf: (messages: readonly Message[]) => readonly string[];
}

/** The link that a message has after another. */
interface Linked {
  readonly after: string;
  readonly link: string;
}

/** What is remembered of a message: in one place, because a conversation holds a hundred thousand. */
interface KnownMessages {
  readonly content: string;
  last: Linked | undefined;
  before: Linked | undefined;
}

/**
 * A chain that remembers each message object it has hashed, and its last two links: where a compaction is, the
 * messages behind it follow their own history and what is sent in its place, turn by turn.
 */
export function createChain(hash: Hash): Chain {
  const known = new WeakMap<Message, KnownMessages>();
  const knownOf = (message: Message): KnownMessages => {
    let one = known.get(message);
    if (one === undefined) {
      one = { content: hash(canonical(message)), last: undefined, before: undefined };
      known.set(message, one);
    }
    return one;
  };
  const linkAfter = (after: string, message: Message): string => {
    const one = knownOf(message);
    if (one.last?.after === after) return one.last.link;
    if (one.before?.after === after) return one.before.link;
    const link = hash(`${after}\n${one.content}`);
    one.before = one.last;
    one.last = { after, link };
    return link;
  };
  const linksOf = (messages: readonly Message[]): readonly string[] => {
    let link = "";
    return messages.map((message) => (link = linkAfter(link, message)));
  };
  return { hash, hashOf: (message) => knownOf(message).content, linksOf };
}

/** Equal for two messages exactly when a model would be told the same. */
export function canonical(message: Message): string {
  const parts = message.parts.filter((part) => part.kind !== "reasoning").map(canonicalPart);
  return `${message.role}\u0000${message.name ?? ""}\u0000${parts.join("\u0001")}`;
}

function canonicalPart(part: Exclude<Part, { kind: "reasoning" }>): string {
  switch (part.kind) {
    case "text":
      return `t\u0000${part.text}`;
    case "tool-call":
      return `c\u0000${part.id}\u0000${part.name}\u0000${part.arguments}`;
    case "tool-result":
      return `r\u0000${part.callId}\u0000${part.isError === true ? "!" : ""}${part.content.map(canonicalPart).join("\u0002")}`;
    case "image":
    case "file":
      return `${part.kind}\u0000${canonicalSource(part.source)}`;
    case "opaque":
      return `o\u0000${part.raw}`;
  }
}

function canonicalSource(source: Extract<Part, { kind: "image" }>["source"]): string {
  if (source.type === "data") return source.data;
  return source.type === "url" ? source.url : source.id;
}

/** The name under which removed text can be fetched again: short, derived from its content. */
export function recallId(text: string, hash: Hash): string {
  return `r${hash(text).slice(0, RECALL_ID_HEX_DIGITS)}`;
}

/** 64 bits: of some 300,000 texts of 36 bits, as they were before, two would have had one id. */
const RECALL_ID_HEX_DIGITS = 16;

/** An id in a pattern: of now, or of before. */
export const RECALL_ID = "r[0-9a-f]{9}(?:[0-9a-f]{7})?";
export const RECALL_IDS = new RegExp(`\\b${RECALL_ID}\\b`, "g");
const ALONE = new RegExp(`^${RECALL_ID}$`);

export function isRecallId(text: string): boolean {
  return ALONE.test(text);
}
