/**
 * What tests know of a protocol, written down from its documentation and independent of our code: how a conversation is
 * written as its requests, what its provider's door lets in, and which model is asked.
 */
import type { JsonLike } from "../json-text.ts";
import type { Random } from "../random.ts";
import type { Traits } from "../turns-to-ir.ts";
import type { Turn } from "../turns.ts";

export type Fields = Readonly<Record<string, JsonLike | undefined>>;

export interface Writer {
  readonly listKey: string;
  readonly maxTokens: (tokens: number) => Fields;
  readonly system: (system: readonly string[]) => { readonly top: Fields; readonly leading: readonly JsonLike[] };
  readonly leadingInArray: (system: readonly string[]) => readonly JsonLike[];
  readonly messages: (turns: readonly Turn[]) => readonly JsonLike[];
  readonly tool: (name: string) => JsonLike;
}

/** A message of Chat Completions, as the corpus has them. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly Readonly<Record<string, JsonLike>>[] | null;
  readonly name?: string;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export type Complain = (text: string) => void;

export interface WireRequest {
  readonly messages: readonly unknown[];
  readonly system?: unknown;
}

export interface WireKit {
  /** What of a conversation its requests can say. */
  readonly traits: Traits;
  readonly writer: (random: Random) => Writer;
  /** What its provider would refuse. */
  readonly check: (request: WireRequest, complain: Complain) => void;
  /** A request of this conversation; a system prompt may open it. */
  readonly fromChat: (messages: readonly ChatMessage[], opening: ChatOpening) => JsonLike;
}

/** A conversation with its system prompt taken apart. */
export interface ChatOpening {
  readonly system: string | undefined;
  readonly rest: readonly ChatMessage[];
}

export function textOfChat(content: ChatMessage["content"]): string {
  if (content === null || typeof content === "string") return content ?? "";
  return content.map((block) => String(block["text"] ?? "")).join("\n");
}
