/** What a transcript weighs in tokens: estimates memoised by message, so a longer session costs one estimate per new message. */
import type { ContentPart, Message, Part, Transcript } from "./message.ts";
import { estimateText } from "./estimate.ts";

/** Flat price of an image (Zhang 2026, section 9) where a boundary is decided: on the high side. */
const IMAGE_TOKENS = 1600;
/** The same in the estimate of a whole transcript: the provider's own figure. */
const TRANSCRIPT_IMAGE_TOKENS = 1500;
/** Flat price of an attached file whose pages we cannot see; a provider renders pages as images. */
const FILE_TOKENS = 1600;
/** Role, separators and ids of a message. */
const MESSAGE_OVERHEAD_TOKENS = 4;
const CALL_OVERHEAD_TOKENS = 8;
const RESULT_OVERHEAD_TOKENS = 4;

export interface Measure {
  /** What its figures are to our own estimates; 1 where it is absent. */
  readonly factor?: number;
  /** What it counts for an image everywhere, where the model's figure is stated. */
  readonly imageTokens?: number;
  readonly text: (text: string) => number;
  /** For what stays and what goes: an image counts 1,600. */
  readonly message: (message: Message) => number;
  readonly messages: (messages: readonly Message[]) => number;
  /** System, tools and messages: what a request weighs. An image counts 1,500. */
  readonly transcript: (transcript: Transcript) => number;
}

/** A measure that remembers what each message object weighs. */
export function createMeasure({ imageTokens }: Pick<Measure, "imageTokens"> = {}): Measure {
  const scales = { text: estimateText, imageTokens: imageTokens ?? IMAGE_TOKENS };
  const excess = scales.imageTokens - (imageTokens ?? TRANSCRIPT_IMAGE_TOKENS);
  const known = new WeakMap<Message, { readonly alone: number; readonly within: number }>();
  const weigh = (one: Message): { readonly alone: number; readonly within: number } => {
    let weights = known.get(one);
    if (weights === undefined) {
      const alone = estimateMessage(one, scales);
      known.set(one, (weights = { alone, within: alone - (excess === 0 ? 0 : excess * imagesIn(one)) }));
    }
    return weights;
  };
  const measure = buildMeasure({
    text: scales.text,
    message: (one) => weigh(one).alone,
    within: (one) => weigh(one).within,
  });
  return imageTokens === undefined ? measure : { ...measure, imageTokens };
}

type Weigh = Measure["text"];

/** What parts are weighed with. */
interface Scales {
  readonly text: Weigh;
  readonly imageTokens: number;
}

/** The same measure, corrected by a factor for a model whose tokenizer differs; a session learns it from reported usage. */
export function calibrated(base: Measure, factor: number): Measure {
  if (factor === 1) return base;
  const scale = (tokens: number): number => Math.ceil(tokens * factor);
  const measure = buildMeasure({
    text: (text) => scale(base.text(text)),
    message: (message) => scale(base.message(message)),
    within: (message) => scale(base.transcript({ system: [], messages: [message] })),
  });
  const { imageTokens } = base;
  return { ...measure, factor, ...(imageTokens === undefined ? {} : { imageTokens }) };
}

interface Weighing extends Pick<Measure, "text" | "message"> {
  readonly within: (message: Message) => number;
}

function buildMeasure({ text, message, within }: Weighing): Measure {
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
    transcript: (whole) => sum(whole.system, within) + sum(whole.messages, within) + tools(whole.tools),
  };
}

function imagesIn({ parts }: Message): number {
  return sum(parts, (part) => (part.kind === "tool-result" ? sum(part.content, countImage) : countImage(part)));
}

function countImage({ kind }: Part): number {
  return kind === "image" ? 1 : 0;
}

function estimateMessage(message: Message, scales: Scales): number {
  return MESSAGE_OVERHEAD_TOKENS + sum(message.parts, (part) => estimatePart(part, scales));
}

function estimatePart(part: Part, scales: Scales): number {
  const { text } = scales;
  switch (part.kind) {
    case "tool-call":
      return CALL_OVERHEAD_TOKENS + text(part.name) + text(part.arguments);
    case "tool-result":
      return RESULT_OVERHEAD_TOKENS + sum(part.content, (piece) => estimateContent(piece, scales));
    case "reasoning":
      return text(part.text);
    default:
      return estimateContent(part, scales);
  }
}

function estimateContent(part: ContentPart, { text, imageTokens }: Scales): number {
  switch (part.kind) {
    case "text":
      return text(part.text);
    case "image":
      return imageTokens;
    case "file":
      return FILE_TOKENS;
    case "opaque":
      return opaqueTokens(part.raw, text);
  }
}

/** Media in base64 within a block of an unknown kind: a data URL, or the bytes that Anthropic, Gemini and MCP call `data`. */
const INLINE_MEDIA = /(?:\bdata:[\w.+-]+\/[\w.+-]+;base64,|"data":\s?")[\w+/=-]{1000,}/g;

function opaqueTokens(raw: string, text: Weigh): number {
  const media = raw.match(INLINE_MEDIA)?.length ?? 0;
  return media === 0 ? text(raw) : text(raw.replace(INLINE_MEDIA, "")) + media * FILE_TOKENS;
}

function sum<T>(items: readonly T[], weigh: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += weigh(item);
  return total;
}
