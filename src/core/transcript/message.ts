/**
 * Messages in the one form that every protocol decodes to: a role and kind-tagged parts, frozen.
 * Core rewrites these and never sees a protocol; the wire slice lets a protocol return untouched bytes.
 */

export type Role = "system" | "user" | "assistant" | "tool";

/** Marks what precis wrote or rewrote, so an export can label or drop it: it must never pass for conversation. */
export type Origin = "summary" | "anchor" | "note" | "digest" | "stub";

/** `at` is the index of the block in its wire message; an edit keeps it (`{ ...part, text }`) so that fields we do not know survive. */
interface WithPosition {
  readonly at?: number;
}

export interface TextPart extends WithPosition {
  readonly kind: "text";
  readonly text: string;
  /** The provider's refusal field or block. */
  readonly refusal?: true;
}

/** Thinking of the model. Opaque: kept whole or removed whole, never edited. `text` is empty where it is encrypted. */
export interface ReasoningPart extends WithPosition {
  readonly kind: "reasoning";
  readonly text: string;
  /** Its server may refuse the message without it: it stays for as long as the message does. */
  readonly required?: true;
}

export interface ToolCallPart extends WithPosition {
  readonly kind: "tool-call";
  readonly id: string;
  readonly name: string;
  /** Raw JSON text as the model wrote it (or free text where `custom`). */
  readonly arguments: string;
  /** True for tools whose input is free text, not JSON. */
  readonly custom?: true;
}

export interface ToolResultPart extends WithPosition {
  readonly kind: "tool-result";
  readonly callId: string;
  readonly content: readonly ContentPart[];
  readonly isError?: true;
}

export type MediaSource =
  | { readonly type: "data"; readonly mediaType: string; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "id"; readonly id: string };

export interface ImagePart extends WithPosition {
  readonly kind: "image";
  readonly source: MediaSource;
}

export interface FilePart extends WithPosition {
  readonly kind: "file";
  readonly source: MediaSource;
  readonly name?: string;
}

/** A block of a kind we do not know, carried through. `raw` is its JSON text. */
export interface OpaquePart extends WithPosition {
  readonly kind: "opaque";
  readonly type: string;
  readonly raw: string;
  /** Names of what holds from there on until it is declared again: tools that the model may call, and settings. */
  readonly declares?: readonly string[];
  /** What a tool that the provider runs was asked, or answered, in words. */
  readonly told?: string;
}

export type ContentPart = TextPart | ImagePart | FilePart | OpaquePart;
export type Part = ContentPart | ReasoningPart | ToolCallPart | ToolResultPart;

export type MediaPart = ImagePart | FilePart;

/** What a message says. */
export type Content = Pick<Message, "role" | "parts" | "name">;

/**
 * The bytes a message came from. Several messages may share one slice (an Anthropic user message that carries
 * two results and a text decodes to three messages): `members` are what those said as decoded, in order, and a
 * protocol writes `raw` back when exactly those, unchanged, are together.
 */
export interface WireSlice {
  readonly protocol: string;
  readonly raw: string;
  readonly members: readonly Content[];
  /** These bytes are the value of the request's own member for a system prompt, and no element of its list. */
  readonly ofSystem?: true;
}

export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Author name, where the protocol has one. */
  readonly name?: string;
  readonly origin?: Origin;
  readonly wire?: WireSlice;
}

/** What is sent to a model: the leading system prompt and the tools are next to the conversation, not in its chain. */
export interface Transcript {
  readonly system: readonly Message[];
  readonly messages: readonly Message[];
  /** The tool declarations as JSON text, counted and carried but never rewritten. */
  readonly tools?: string;
  readonly model?: string;
  /** Output tokens the request reserves. */
  readonly maxOutputTokens?: number;
}

/** A message of our own making: one text part. */
export function textMessage(role: Role, text: string, origin?: Origin): Message {
  const parts = Object.freeze([Object.freeze({ kind: "text", text } as const)]);
  return Object.freeze(origin === undefined ? { role, parts } : { role, parts, origin });
}

/** The same message with other parts; the wire slice stays, so a protocol can keep what was not touched. */
export function withParts(message: Message, parts: readonly Part[], origin?: Origin): Message {
  const next = { ...message, parts: Object.freeze([...parts]) };
  return Object.freeze(origin === undefined ? next : { ...next, origin });
}

export function sameParts(before: readonly Part[], after: readonly Part[]): boolean {
  return before === after || (before.length === after.length && before.every((part, at) => part === after[at]));
}

/** Whether the wire would say the same: a copy that carries only another origin does. */
export function isSame(message: Content, other: Content): boolean {
  return message.role === other.role && message.name === other.name && sameParts(other.parts, message.parts);
}

/** Whether two messages came in one wire message. */
export function sharesWire(one: Message | undefined, other: Message): boolean {
  return other.wire !== undefined && one?.wire === other.wire;
}

/** The end, moved past the messages that came in one wire message with the last: these are recorded together. */
export function wholeWire(messages: readonly Message[], end: number): number {
  let whole = end;
  while (whole > 0 && whole < messages.length && sharesWire(messages[whole - 1], messages[whole]!)) whole++;
  return whole;
}

/** The tool calls that a message makes, in order. */
export function callsOf(message: Message): readonly ToolCallPart[] {
  return message.parts.filter((part) => part.kind === "tool-call");
}

/** The result that a tool message holds; undefined in any other. */
export function resultOf(message: Message): ToolResultPart | undefined {
  return message.parts.find((part) => part.kind === "tool-result");
}

/** The images and files of a message, those of a result included. */
export function mediaIn({ parts }: Message): readonly MediaPart[] {
  return parts
    .flatMap((part): readonly Part[] => (part.kind === "tool-result" ? part.content : [part]))
    .filter(isMedia);
}

export function isMedia(part: Part): part is MediaPart {
  return part.kind === "image" || part.kind === "file";
}

/** The plain text of content: what a model reads of it, media left out. */
export function contentText(content: readonly Part[]): string {
  let text = "";
  for (const part of content) {
    const piece = partText(part);
    if (piece !== "") text = text === "" ? piece : `${text}\n${piece}`;
  }
  return text;
}

function partText(part: Part): string {
  if (part.kind === "text") return part.text;
  if (part.kind === "opaque") return part.told ?? "";
  return part.kind === "tool-result" ? contentText(part.content) : "";
}
