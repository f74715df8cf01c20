/** What a transcript weighs in tokens: estimates memoised by message, so a longer session costs one estimate per new message. */
import type { ContentPart, Message, Part, Transcript } from "./message.ts";
import { estimateText } from "./estimate.ts";

/** Flat price of an image (reference/002: 1,600 where boundaries are decided, on the high side of the provider's 1,500). */
const IMAGE_TOKENS = 1600;
/** Flat price of an attached file whose pages we cannot see; a provider renders pages as images. */
const FILE_TOKENS = 1600;
/** Role, separators and ids of a message. */
const MESSAGE_OVERHEAD_TOKENS = 4;
const CALL_OVERHEAD_TOKENS = 8;
const RESULT_OVERHEAD_TOKENS = 4;

export interface Measure {
  readonly text: (text: string) => number;
  readonly message: (message: Message) => number;
  readonly messages: (messages: readonly Message[]) => number;
  /** System, tools and messages: what a request weighs. */
  readonly transcript: (transcript: Transcript) => number;
}

/** A measure that remembers what each message object weighs. */
export function createMeasure(): Measure {
  const known = new WeakMap<Message, number>();
  const message = (one: Message): number => {
    let tokens = known.get(one);
    if (tokens === undefined) known.set(one, (tokens = estimateMessage(one)));
    return tokens;
  };
  return measureOf(estimateText, message);
}

/** The same measure, corrected by a factor for a model whose tokenizer differs; a session learns it from reported usage. */
export function calibrated(base: Measure, factor: number): Measure {
  if (factor === 1) return base;
  const scale = (tokens: number): number => Math.ceil(tokens * factor);
  return measureOf(
    (text) => scale(base.text(text)),
    (message) => scale(base.message(message)),
  );
}

function measureOf(text: Measure["text"], message: Measure["message"]): Measure {
  const messages = (many: readonly Message[]): number => sum(many, message);
  // A session sends the same declarations with every request; they are long.
  let declared = { tools: "", tokens: 0 };
  const tools = (declarations: string | undefined): number => {
    if (declarations === undefined) return 0;
    if (declarations !== declared.tools) declared = { tools: declarations, tokens: text(declarations) };
    return declared.tokens;
  };
  return {
    text,
    message,
    messages,
    transcript: (whole) => messages(whole.system) + messages(whole.messages) + tools(whole.tools),
  };
}

function estimateMessage(message: Message): number {
  return MESSAGE_OVERHEAD_TOKENS + sum(message.parts, estimatePart);
}

function estimatePart(part: Part): number {
  switch (part.kind) {
    case "tool-call":
      return CALL_OVERHEAD_TOKENS + estimateText(part.name) + estimateText(part.arguments);
    case "tool-result":
      return RESULT_OVERHEAD_TOKENS + sum(part.content, estimateContent);
    case "reasoning":
      return estimateText(part.text);
    default:
      return estimateContent(part);
  }
}

function estimateContent(part: ContentPart): number {
  switch (part.kind) {
    case "text":
      return estimateText(part.text);
    case "image":
      return IMAGE_TOKENS;
    case "file":
      return FILE_TOKENS;
    case "opaque":
      return estimateText(part.raw);
  }
}

function sum<T>(items: readonly T[], weigh: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += weigh(item);
  return total;
}
