/**
 * What a language model is to a handoff: something that answers one prompt, or fails in a way that has a class. The
 * one effect an engine is handed; everything else about a handoff is data.
 */
import type { Transcript } from "../../transcript/message.ts";

export interface WriterPrompt {
  readonly system: string;
  readonly user: string;
  /** What the prompt follows, as it is sent now: only for a writer that follows up. `system` is empty then. */
  readonly conversation?: Transcript;
  /** Output tokens at most: 1.3 × the handoff's budget (Zhang 2026). */
  readonly maxOutputTokens: number;
}

/** By what can be done about it. `unconfigured`: no provider, no such model, or its package is not installed. */
export type FailureClass =
  | "unconfigured"
  | "authentication"
  | "quota"
  | "rate"
  | "timeout"
  | "network"
  | "malformed"
  | "refusal"
  | "overflow";

export interface WriterFailure {
  readonly class: FailureClass;
  /** One line for the operator, without secrets. */
  readonly message: string;
  /** The window that an overflow error names, in tokens. */
  readonly windowTokens?: number;
  /** How long the provider asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** What one prompt cost; `costUsd` is absent where the model's price is not known. */
export interface WriterUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number;
  /** HTTP requests made, retries included. */
  readonly requests: number;
}

/** `length`: the answer was cut off at `maxOutputTokens`. */
export type WriterReply =
  | {
      readonly kind: "answered";
      readonly text: string;
      readonly ended: "stop" | "length";
      readonly usage: WriterUsage;
    }
  | { readonly kind: "failed"; readonly failure: WriterFailure; readonly usage: WriterUsage };

export interface Writer {
  /** Name of the model, as reports show it. */
  readonly model: string;
  /** Input and output together. */
  readonly windowTokens: number;
  /**
   * It can be asked behind a conversation: it sends system prompt, tools and messages as they are sent in the session, with
   * the prompt as one more user message, and no tool may be called. What the provider has cached of it is then read again.
   * `as-sent`: it has the request that went out, which cannot be shortened, and it can be asked in no other way.
   */
  readonly followsUp?: boolean | "as-sent";
  /** Never rejects, but for an abort by `signal`, with the signal's reason. */
  readonly ask: (prompt: WriterPrompt, signal?: AbortSignal) => Promise<WriterReply>;
}

/** A model that is not asked for now, because it failed lately. */
export interface Resting {
  readonly model: string;
  readonly role: "auxiliary" | "main";
  readonly class: FailureClass;
  /** Milliseconds until it is asked again. */
  readonly remainingMs: number;
}

/** The models a compaction may ask, in the order of the failure ladder: auxiliary, main, then none. */
export interface Writers {
  readonly auxiliary?: Writer;
  readonly main?: Writer;
  readonly resting: readonly Resting[];
  /** Why none of them may be asked although one is configured: a limit of the session, in words. */
  readonly withheld?: string;
}
