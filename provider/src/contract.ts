/** The words that the provider's parts share: a request as it was understood, why it is refused, and what it is answered. */
import type { Fields } from "../../src/protocols/fields.ts";
import type { ProtocolName } from "../../src/core/protocols.ts";

/** One request, after its body was read and before anything was checked. */
export interface Incoming {
  readonly protocol: ProtocolName;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Fields;
  /** The body as it came, decompressed. */
  readonly text: string;
}

export type Ttl = "5m" | "1h";

/** The prompt in the order it is rendered; caches and windows are calculated in these. */
export interface Block {
  readonly section: "tools" | "system" | "messages";
  /** What a cache compares: the block's JSON without its marker. */
  readonly text: string;
  readonly tokens: number;
  /** Anthropic's `cache_control`, or an explicit breakpoint of OpenAI's. */
  readonly marker?: Ttl;
  /** How long an entry lives that is written here, where it is not as long as the request says. */
  readonly ttlMs?: number;
  /** True for the last block of a message. */
  readonly ends?: true;
}

export interface Prompt {
  readonly blocks: readonly Block[];
  /** Settings that the cached form of the messages depends on beside what comes before them. */
  readonly messageSettings: string;
  readonly inputTokens: number;
  readonly maxOutputTokens: number | undefined;
}

/** Input is everything that was read: fresh, from the cache, and written to it. */
export interface TokenUse {
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWrite5mTokens: number;
  readonly cacheWrite1hTokens: number;
  /** Written by a provider that names no such lifetimes. */
  readonly cacheWriteTokens: number;
}

/** Why an answer ends, in words of our own. */
export type Stop = "stop" | "tools" | "length" | "refusal" | "window";

export type ReplyBlock =
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly custom: boolean;
    }
  | { readonly kind: "compaction"; readonly text: string };

export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  readonly stop: Stop;
}

/** A reply with all that its wire form needs. */
export interface ReplyToSend {
  readonly reply: Reply;
  readonly use: TokenUse;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly model: string;
  /** What ids of this answer are made of. */
  readonly id: string;
  /** Whole seconds of the provider's clock. */
  readonly created: number;
  readonly incoming: Incoming;
  /** Anthropic: what was taken out of the request before the model saw it. */
  readonly transformations: readonly unknown[] | undefined;
  /** Seals what the model thought, so that it can be known again. */
  readonly seal: (text: string) => string;
  /** Signs a compaction that the answer holds. */
  readonly signCompaction?: ((block: Fields) => string) | undefined;
  /** Whether this model's cache names what it wrote. */
  readonly tellsWrites: boolean;
}

/** One event of a stream; `tokens` is how many of the answer's tokens it carries, for its pace. */
export interface StreamEvent {
  readonly event?: string;
  /** JSON; a text goes out as it is. */
  readonly data: unknown;
  readonly tokens: number;
}
