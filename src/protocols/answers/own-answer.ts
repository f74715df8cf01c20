/** An answer that precis gives itself, in the words of a protocol: one text of the assistant, whole or as a stream. */
import { type Fields, textOf, fieldsOf, parsed } from "../fields.ts";
import type { Usage } from "../../core/engines/contract.ts";
import { membersOf, skipSpace } from "../json.ts";
import { overflowOf } from "../overflow.ts";
import type { Overflow } from "../protocol.ts";

export interface OwnAnswer {
  /** Letters and digits that no other answer has. */
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly createdSeconds: number;
}

interface AnsweredForm {
  readonly member: (key: string) => unknown;
  readonly target: string;
}

/** The body of a response with status 200. */
export interface OwnAnswerBody {
  readonly contentType: string;
  readonly body: string;
  readonly streamed: boolean;
}

/** The same protocol's clients take it as they take an answer of their provider. */
export type WriteOwnAnswer = (answer: OwnAnswer, asked: AnsweredForm) => OwnAnswerBody;

export function wholeBody(answer: Fields | readonly Fields[]): OwnAnswerBody {
  return { contentType: "application/json", body: JSON.stringify(answer), streamed: false };
}

interface OwnEvent {
  readonly name?: string;
  /** JSON, or a word of the protocol. */
  readonly data: Fields | string;
}

export function streamedBody(events: readonly OwnEvent[]): OwnAnswerBody {
  const lines = events.map(({ name, data }) => {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    return `${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`;
  });
  return { contentType: "text/event-stream; charset=utf-8", body: lines.join(""), streamed: true };
}

/** For protocols whose body says whether the answer is to be streamed. */
export function asksForStream({ member }: AnsweredForm): boolean {
  return member("stream") === true;
}

export interface PlainAnswer {
  readonly text: string;
  /** `called`: a tool was called, or the provider was about to run one of its own. */
  readonly ended: "stop" | "length" | "refused" | "called";
}

export function textOfBlocks(blocks: readonly Fields[], type: string): string {
  return blocks.flatMap((block) => (block["type"] === type ? (textOf(block["text"]) ?? []) : [])).join("");
}

interface Signs {
  readonly calls: boolean;
  readonly refused: boolean;
  readonly length: boolean;
}

export function plain(text: string, { calls, refused, length }: Signs): PlainAnswer {
  return { text, ended: calls ? "called" : refused ? "refused" : length ? "length" : "stop" };
}

export interface AnswerSignal {
  readonly usage?: Usage | undefined;
  /** What the provider took beside that, and does not count in it. */
  readonly besides?: Usage | undefined;
  /** The name by which a later request may refer to the answer. */
  readonly id?: string | undefined;
  readonly overflow?: Overflow | undefined;
  /** An error, of whatever kind. */
  readonly failed?: true;
  /** Content, or anything that is neither prelude, error nor end: an event of a kind nobody here knows may be content. */
  readonly begins?: true;
  /** Nothing of the answer is missing. */
  readonly ends?: true;
  /** In their order, what the provider wants back together: reasoning, and calls by their ids. */
  readonly steps?: readonly AnswerStep[];
}

export type AnswerStep = { readonly kind: "reasoning" } | { readonly kind: "call"; readonly id: string };

/** Larger pieces of an answer are none of these. */
const STEP_CHARS_MAX = 1024 * 1024;

/** Of one event or of a list of items: what `read` makes of each. */
export function readSteps(
  text: string | undefined,
  read: (item: Fields) => AnswerStep | undefined,
): Pick<AnswerSignal, "steps"> {
  if (text === undefined || text.length > STEP_CHARS_MAX) return {};
  const value = parsed(text);
  const items = Array.isArray(value) ? value : [value];
  const steps = items.flatMap((item) => read(fieldsOf(item)) ?? []);
  return steps.length === 0 ? {} : { steps };
}

export const NOTHING: AnswerSignal = Object.freeze({});
export const BEGINS: AnswerSignal = Object.freeze({ begins: true });
export const ENDS: AnswerSignal = Object.freeze({ ends: true });

export interface StreamedEvent {
  /** Of the `event:` line. */
  readonly name: string | undefined;
  readonly data: string;
}

/** How a protocol's answers are understood. */
export interface AnswerDialect {
  /** `began`: content was seen before, so that only usage, errors and the end matter. */
  readonly event: (event: StreamedEvent, began: boolean) => AnswerSignal;
  /** Of a successful answer that is one JSON object, by the texts of its members. */
  readonly whole: (members: ReadonlyMap<string, string>) => AnswerSignal;
}

/** A stream says an error under HTTP 200; read as a refusal, its words count. */
const REFUSED_STATUS = 400;

export function failure(error: string): AnswerSignal {
  return { failed: true, overflow: overflowOf(REFUSED_STATUS, error) };
}

/** An event that names no kind and is or holds an error: how servers of several protocols say it, whichever was asked in. */
export function untypedFailure(event: StreamedEvent): AnswerSignal | undefined {
  if (event.name !== undefined || !event.data.includes('"error"')) return undefined;
  const fields = fieldsOf(parsed(event.data));
  const isError = fields["object"] === "error" || (fields["error"] !== undefined && fields["error"] !== null);
  return isError ? failure(event.data) : undefined;
}

const LEADING_TYPE = /^\s*\{\s*"type"\s*:\s*"([^"\\]*)"/;

/** The kind of an event by its name, by the `type` it opens with, or, where a server orders its keys otherwise, by parsing. */
export function typeOf({ name, data }: StreamedEvent): string {
  if (name !== undefined && name !== "message") return name;
  const leading = LEADING_TYPE.exec(data)?.[1];
  return leading ?? textOf(fieldsOf(parsed(data))["type"]) ?? "";
}

/** The texts of an object's members, without building what they hold; empty where it is no object or breaks off. */
export function memberTexts(text: string | undefined): ReadonlyMap<string, string> {
  if (text === undefined) return new Map();
  const start = skipSpace(text, 0);
  if (text[start] !== "{") return new Map();
  try {
    return new Map(membersOf(text, start).map((member) => [member.key, text.slice(member.start, member.end)]));
  } catch {
    return new Map();
  }
}

/** Whether a member holds something: not absent, null, or an empty text, list or object. */
export function isFilled(text: string | undefined): text is string {
  return text !== undefined && !/^(?:null|""|\[\s*\]|\{\s*\})$/.test(text.slice(0, EMPTY_CHARS_MAX).trim());
}

/** An empty list with white space inside is no longer than this. */
const EMPTY_CHARS_MAX = 64;
