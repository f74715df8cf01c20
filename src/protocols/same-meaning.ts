/**
 * Whether two texts of one message mean the same to a provider. Clients write a message again in another form: its text as
 * a string or as a block, its keys in another order, its cache markers elsewhere, without the white space at the end of what
 * was said. Whatever else differs is another meaning.
 */
import { isFields, textOf, type Fields } from "./fields.ts";
import { applyEdits, patchObject, elementsOf, memberText } from "./json.ts";

/** Members of a content block that only say what is cached. */
const MARKERS = ["cache_control", "prompt_cache_breakpoint"] as const;

export interface MessageForm {
  readonly textBlock: string;
  /** The newest message of its request: some providers refuse a last answer that ends in white space, so its end counts. */
  readonly isLast?: boolean;
}

/** Both are JSON texts of one element of a request's list of messages. */
export function meansTheSame(one: string, other: string, form: MessageForm): boolean {
  return normalText(one, form) === normalText(other, form);
}

/** The message without its cache markers; the same text where it has none. */
export function withoutCacheMarkers(message: string): string {
  if (!MARKERS.some((marker) => message.includes(marker))) return message;
  const content = memberText(message, "content");
  if (content?.startsWith("[") !== true) return message;
  const edits = elementsOf(content, 0).map(({ start, end }) => ({
    start,
    end,
    text: unmarkedBlock(content.slice(start, end)),
  }));
  const unmarked = applyEdits(content, edits);
  return unmarked === content ? message : patchObject(message, { content: unmarked });
}

function unmarkedBlock(block: string): string {
  if (!block.startsWith("{")) return block;
  const marked = MARKERS.filter((marker) => memberText(block, marker) !== undefined);
  const unmarked =
    marked.length === 0 ? block : patchObject(block, Object.fromEntries(marked.map((key) => [key, undefined])));
  return withoutCacheMarkers(unmarked);
}

/** A number as it was written: what a double cannot hold is no other number here. */
class Written {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source: string }) => unknown;

const keepNumbers: Reviver = (_, value, { source }) => (typeof value === "number" ? new Written(source) : value);

function parse(text: string): unknown {
  return JSON.parse(text, keepNumbers as Parameters<typeof JSON.parse>[1]);
}

function normalText(text: string, { textBlock, isLast = false }: MessageForm): string {
  const message = normalMessage(parse(text), textBlock);
  return written(isLast ? message : withoutEndSpace(message));
}

const SPEAKERS = new Set(["user", "assistant", "model"]);

/** White space at the end of what a person or a model said means nothing; in a result or an argument it may. */
function withoutEndSpace(message: unknown): unknown {
  if (!isFields(message) || !SPEAKERS.has(textOf(message["role"]) ?? "")) return message;
  const trimmed = ["content", "parts"].flatMap((key) => {
    const blocks: unknown = message[key];
    return Array.isArray(blocks)
      ? [[key, blocks.map((block: unknown, at) => trimmedBlock(block, blocks[at + 1]))]]
      : [];
  });
  return { ...message, ...(Object.fromEntries(trimmed) as Fields) };
}

/** A text that another one follows goes on there. */
function trimmedBlock(block: unknown, next: unknown): unknown {
  if (!isFields(block) || block["thought"] === true || (isFields(next) && next["text"] !== undefined)) return block;
  const text = textOf(block["text"]);
  return text === undefined ? block : { ...block, text: text.trimEnd() };
}

function normalMessage(message: unknown, textBlock: string): unknown {
  if (!isFields(message)) return message;
  const type = message["role"] === "assistant" && textBlock === "input_text" ? "output_text" : textBlock;
  const normal: Record<string, unknown> = { ...message, ...normalContent(message, type) };
  // Responses: an item with a role is a message, whether it says so or not.
  if (textBlock === "input_text" && textOf(message["role"]) !== undefined) normal["type"] ??= "message";
  if (textOf(message["arguments"]) !== undefined) normal["arguments"] = normalArguments(message["arguments"]);
  if (Array.isArray(message["tool_calls"])) normal["tool_calls"] = message["tool_calls"].map(normalCall);
  return normal;
}

/** A text by itself is one block of it, and cache markers mean nothing. */
function normalContent({ content }: Fields, type: string): Fields {
  if (typeof content === "string") return { content: [{ type, text: content }] };
  if (!Array.isArray(content)) return {};
  return { content: content.map((block: unknown) => normalBlock(block, type)) };
}

function normalBlock(block: unknown, type: string): unknown {
  if (!isFields(block)) return block;
  const kept = Object.entries(block).filter(([key]) => !(MARKERS as readonly string[]).includes(key));
  return { ...Object.fromEntries(kept), ...normalContent(block, type) };
}

function normalCall(call: unknown): unknown {
  if (!isFields(call) || !isFields(call["function"])) return call;
  const { function: called } = call;
  return { ...call, function: { ...called, arguments: normalArguments(called["arguments"]) } };
}

/** Arguments are an object, written as text. */
function normalArguments(text: unknown): unknown {
  if (typeof text !== "string" || !text.trimStart().startsWith("{")) return text;
  try {
    return { object: parse(text) };
  } catch {
    return text;
  }
}

/** JSON with its keys in order, and every number as it was written. */
function written(value: unknown): string {
  if (value instanceof Written) return value.source;
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (!isFields(value)) return JSON.stringify(value) ?? "null";
  const members = Object.keys(value).toSorted();
  return `{${members.map((key) => `${JSON.stringify(key)}:${written(value[key])}`).join(",")}}`;
}
