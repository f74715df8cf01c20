/** What the provider needs of a protocol: how a key comes, what is refused, how a prompt is rendered, how an answer is written. */
import type { ProtocolName } from "../../src/core/protocols.ts";
import type { Incoming, Prompt, Reply, ReplyBlock, StreamEvent, ReplyToSend } from "./contract.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import { textOf, blocksOf, type Fields } from "../../src/protocols/fields.ts";
import type { Memory } from "./memory.ts";
import type { Sealer } from "./seals.ts";
import type { CacheKind, ModelBook, ModelTraits } from "./traits.ts";

export interface JudgeRequest {
  readonly incoming: Incoming;
  readonly model: string;
  readonly traits: ModelTraits;
  readonly sealer: Sealer;
  readonly memory: Memory;
  /** Tokens are only counted: what an answer needs may be missing. */
  readonly counting: boolean;
  readonly nowMs: number;
}

/** A request that its vendor would take. */
export interface AcceptedRequest {
  readonly prompt: Prompt;
  readonly transformations: readonly unknown[] | undefined;
  /** Signs what the answer thinks, with all that the model saw before it. */
  readonly seal: (id: string, text: string) => string;
  /** Signs a compaction that the answer holds. */
  readonly signCompaction?: (block: Fields) => string;
  /** What the vendor itself answers, whatever a script says: a compaction that was asked for. */
  readonly own?: Reply;
  /** What the vendor puts before the answer: a compaction that the request lets it make. */
  readonly opening?: ReplyBlock;
  /** Called when the answer was given, for what later requests may refer to. */
  readonly answered: (answer: unknown) => void;
}

/** Where a request has no state at its vendor, and thoughts are sealed by their text alone. */
export function acceptedAs(prompt: Prompt, sealer: Sealer): AcceptedRequest {
  return { prompt, transformations: undefined, seal: (_, text) => sealer.mac(text), answered: () => undefined };
}

/** What goes wrong at a vendor, in its words; the status and the rest come beside it. */
export type FaultWords = Readonly<Record<"rate-limit" | "server-error" | "overloaded", Omit<Refusal, "reason">>>;

/** Where a request's model and form are, and what it says. */
export interface RequestForm {
  /** As it was named; whether there is such a model is asked later. */
  readonly modelOf: (body: Fields, path: string) => unknown;
  readonly isStreamed: (body: Fields, url: URL) => boolean;
  /** The words that were said last, for an echo. */
  readonly lastSaid: (body: Fields) => string;
  /** Ids of the calls that the end of the request answers. */
  readonly answeredCalls: (body: Fields) => readonly string[];
}

/** For protocols whose body says it. */
export const BODY_FORM: Pick<RequestForm, "modelOf" | "isStreamed"> = Object.freeze({
  modelOf: (body: Fields) => body["model"],
  isStreamed: (body: Fields) => body["stream"] === true,
});

export function wordsOf(message: Fields): string {
  return blocksOf(message["content"] ?? message["output"])
    .map((block) => textOf(block["text"]) ?? (block["content"] === undefined ? "" : wordsOf(block)))
    .filter((text) => text !== "")
    .join("\n");
}

/** Ids of the answers to calls that are at the end of a list. */
export function answersAtEnd(list: readonly Fields[], idOf: (item: Fields) => string | undefined): readonly string[] {
  const from = list.findLastIndex((item) => idOf(item) === undefined);
  return list.slice(from + 1).flatMap((item) => idOf(item) ?? []);
}

/** Lists of models as a vendor gives them. */
export interface ModelListForm {
  readonly entry: (models: ModelBook, name: string) => Fields;
  readonly list: (entries: readonly Fields[]) => Fields;
}

export interface Wire {
  readonly protocol: ProtocolName;
  /** The key that a request comes with; empty if there is none. */
  readonly keyOf: (headers: Headers, url: URL) => string;
  /** Whether a header of a request brings a key as only this vendor takes it. */
  readonly isKeyed?: (headers: Headers) => boolean;
  readonly request: RequestForm;
  readonly models: ModelListForm;
  readonly faultWords: FaultWords;
  /** The vendor's own limit for a body. */
  readonly bodyBytesMax: number;
  /** The error for a body above the size limit. */
  readonly tooLarge: Refusal;
  /** How ids of its calls begin. */
  readonly callIdLead: string;
  /** How this model's prompt cache works. */
  readonly cacheOf: (traits: ModelTraits) => CacheKind;
  /** The name of the event that says an error in a stream, where events have names. */
  readonly errorEvent?: string;
  /** The answer to a request whose tokens are counted. */
  readonly counted: (inputTokens: number) => Fields;
  /** The error for a request without a key. */
  readonly keyless: Refusal;
  /** The error for a body that is no JSON object. */
  readonly notJson: (why: string) => Refusal;
  /** The prompt of a request that has not been judged, as the vendor counts and caches it. */
  readonly render: (body: Fields, traits: ModelTraits) => Prompt;
  readonly judge: (judging: JudgeRequest) => Refusal | AcceptedRequest;
  readonly noModel: (name: unknown) => Refusal;
  readonly errorBody: (refusal: Refusal, requestId: string) => Fields;
  /** Undefined if the prompt and what is asked for fit. */
  readonly overflow: (prompt: Prompt, windowTokens: number) => Refusal | undefined;
  /** Headers of every answer. */
  readonly requestHeaders: (requestId: string) => Readonly<Record<string, string>>;
  readonly replyBody: (toSend: ReplyToSend) => unknown;
  readonly stream: (toSend: ReplyToSend) => Iterable<StreamEvent>;
  /** A stream that says an error after HTTP 200: before any content, or in the middle. */
  readonly streamedError: (
    refusal: Refusal,
    toSend: Pick<ReplyToSend, "id" | "model" | "created">,
  ) => Iterable<StreamEvent>;
  /** Whether an overflow of a streamed request is said inside of the stream. */
  readonly streamsOverflow: boolean;
}

export function isRefusal(value: Refusal | object): value is Refusal {
  return "reason" in value && "status" in value;
}
