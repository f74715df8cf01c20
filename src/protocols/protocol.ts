/**
 * A protocol is the only place that knows a provider's wire format: it reads a request body into a transcript, writes a
 * changed transcript back into that body with every untouched byte in place, and reads what the provider answers.
 */
import type { ProtocolName } from "../core/protocols.ts";
import type { Usage } from "../core/engines/contract.ts";
import type { Message, Transcript, WireSlice } from "../core/transcript/message.ts";
import type { WireRules } from "../core/transcript/oracle.ts";
import type { Member, Span } from "./json.ts";

export type { ProtocolName };

/** A request is too large: for the model's window (tokens) or for the provider's door (bytes). */
export interface Overflow {
  readonly kind: "context" | "payload";
  /** The window the provider named, in tokens. */
  readonly limitTokens?: number;
  /** What it counted in the request, in tokens. */
  readonly requestedTokens?: number;
  /** What of that was room reserved for the answer. */
  readonly outputTokens?: number;
}

/** Fresh JSON values of a transcript: what a client would send. */
export interface EncodedParts {
  readonly messages: readonly unknown[];
  /** The value of `system` (Anthropic) or `instructions` (Responses); Chat has its system prompt among the messages. */
  readonly system?: unknown;
  readonly tools?: unknown;
}

/** The same as JSON text, in which integers keep all their digits. */
export interface EncodedText {
  readonly messages: string;
  readonly system?: string;
  readonly tools?: string;
}

export interface EncodeOptions {
  /** The protocol that messages without a wire slice were read from; blocks of unknown kind are kept when it is this one (the default). */
  readonly source?: ProtocolName;
}

/** Wire elements that became messages together: one, or the items of one Responses reply. */
export interface Group {
  readonly slice: WireSlice;
  readonly messages: readonly Message[];
  /** Index of the first element. */
  readonly first: number;
  readonly count: number;
  /** Why the history must stay as it is, where a part of this group says so. */
  readonly held: string | undefined;
}

/** Where things are in a body. Internal to the protocols; a `Decoded` carries it from `decode` to `splice`. */
export interface Layout {
  /** The request's own members; empty for a bare array. */
  readonly members: readonly Member[];
  /** The array of messages, or the one string a Responses request may have instead. */
  readonly list: Span;
  readonly elements: readonly Span[];
  readonly groups: readonly Group[];
}

export interface Decoded {
  readonly protocol: ProtocolName;
  /** The text that was read. */
  readonly body: string;
  /** A whole request, or only the array of its messages. */
  readonly form: "request" | "messages";
  readonly transcript: Transcript;
  /** Why the history must go out as it is, for example because the provider holds a part of it. */
  readonly locked?: string;
  readonly layout: Layout;
}

export interface Protocol {
  readonly name: ProtocolName;
  readonly rules: WireRules;
  /** The members of a request that hold its messages and its system prompt; Chat has the latter among the messages. */
  readonly keys: { readonly messages: string; readonly system: string | undefined };
  /**
   * Reads a request body, or a bare array of its messages.
   * `elementsMax`: what has more elements is refused before any is built; no limit by default.
   *
   * @throws PrecisError `body_not_json`, `body_without_messages`, `message_malformed`, `too_many_messages`, each with its place.
   */
  readonly decode: (body: string, previous?: Decoded, elementsMax?: number) => Decoded;
  /**
   * The body with this transcript in it. Whatever is the same object as in `decoded.transcript` goes out as its bytes;
   * an unchanged transcript gives the body itself. Only system, messages and tools are written; `tools: undefined` leaves the body's own.
   */
  readonly splice: (decoded: Decoded, transcript: Transcript) => string;
  /** Wire values for any transcript, also one that another protocol decoded. */
  readonly encode: (transcript: Transcript, options?: EncodeOptions) => EncodedParts;
  readonly encodeText: (transcript: Transcript, options?: EncodeOptions) => EncodedText;
  /**
   * The JSON text of an array of wire messages, bytes kept where there are some. `decode` reads it back, and what it then
   * splices is the same text: the form in which rewritten messages outlive a process.
   */
  readonly format: (messages: readonly Message[]) => string;
  /** Tokens reported by a response or a stream event (parsed JSON); undefined where it reports none. */
  readonly usage: (response: unknown) => Usage | undefined;
  /** What a failed response says about size; undefined when it failed for another reason. */
  readonly overflow: (status: number, bodyText: string) => Overflow | undefined;
}

export interface Decoder {
  /** @throws PrecisError as `Protocol.decode` does; the memory then stays as it was. */
  readonly decode: (body: string) => Decoded;
}

/** Remembers the last body, so it is meant for one conversation. */
export function createDecoder(protocol: Protocol): Decoder {
  let previous: Decoded | undefined;
  return {
    decode: (body) => (previous = protocol.decode(body, previous)),
  };
}
