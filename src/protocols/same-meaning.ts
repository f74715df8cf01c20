/**
 * Whether two texts of one message mean the same to a provider. Clients write a message again in another form: its text as
 * a string or as a block, its keys in another order, its cache markers elsewhere. Whatever else differs is another meaning.
 */
import { isFields, textOf } from "./fields.ts";
import type { Fields } from "./dialect.ts";
import { applyEdits, patchObject } from "./json/edit.ts";
import { elementsOf, memberText } from "./json/scan.ts";

/** Members of a content block that only say what is cached. */
const MARKERS = ["cache_control", "prompt_cache_breakpoint"] as const;

/** Both are JSON texts of one element of a request's list of messages. `textBlock`: the type of a block of a user's text. */
export function meansTheSame(one: string, other: string, textBlock: string): boolean {
  return normalForm(one, textBlock) === normalForm(other, textBlock);
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

function normalForm(text: string, textBlock: string): string {
  return written(normalMessage(parse(text), textBlock));
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
