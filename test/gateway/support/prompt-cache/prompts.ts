/**
 * A request of each protocol as the model of a prompt cache takes it: its blocks with what they weigh and the names they are compared by. A
 * name is the block's JSON without markers and without an order of its own keys.
 */
import type { CachePrompt, PromptBlock } from "./prefix-cache.ts";
import type { CacheSection, Ttl } from "../../../../src/core/caching/breakpoints.ts";
import type { ProtocolName } from "../../../../src/core/protocols.ts";
import type { Measure } from "../../../../src/core/transcript/measure.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../../../../src/protocols/fields.ts";

/** What surrounds a message, a call and a result, as our measure counts them. */
const MESSAGE_TOKENS = 4;
const CALL_TOKENS = 8;
const RESULT_TOKENS = 4;
/** Flat, as our measure counts images and files (Zhang 2026). */
const MEDIA_TOKENS = 1_600;

const MARKER_FIELDS: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"]);
const MEDIA_TYPES: ReadonlySet<string> = new Set([
  "image",
  "image_url",
  "input_image",
  "document",
  "file",
  "input_file",
]);

type Weigh = Measure["text"];

/** `text` weighs a text in tokens. */
export const cachePrompts: Readonly<Record<ProtocolName, (request: Fields, text: Weigh) => CachePrompt>> = {
  "anthropic-messages": anthropicPrompt,
  "openai-chat": chatPrompt,
  "openai-responses": responsesPrompt,
  "google-gemini": geminiPrompt,
};

function contentBlocks(content: unknown, type: string): readonly Fields[] {
  return typeof content === "string" ? [{ type, text: content }] : listOf(content).map(fieldsOf);
}

function nameOf(block: unknown): string {
  if (!isFields(block)) return JSON.stringify(block);
  const members = Object.keys(block)
    .filter((key) => !MARKER_FIELDS.has(key))
    .sort()
    .map((key) => {
      const value = block[key];
      const text =
        key === "content" && Array.isArray(value) ? `[${value.map(nameOf).join(",")}]` : JSON.stringify(value);
      return `${JSON.stringify(key)}:${text}`;
    });
  return `{${members.join(",")}}`;
}

function markerOf(block: Fields): { readonly marker?: Ttl } {
  const own = block["cache_control"] ?? block["prompt_cache_breakpoint"];
  if (isFields(own)) return { marker: own["ttl"] === "1h" ? "1h" : "5m" };
  for (const inside of contentBlocks(block["content"], "text")) {
    const found = markerOf(inside);
    if (found.marker !== undefined) return found;
  }
  return {};
}

function weighContent(block: Fields, text: Weigh): number {
  const words = textOf(block["text"]) ?? textOf(block["refusal"]);
  if (words !== undefined) return text(words);
  return MEDIA_TYPES.has(String(block["type"])) ? MEDIA_TOKENS : text(nameOf(block));
}

interface Piece {
  readonly name: string;
  readonly tokens: number;
  readonly marker?: Ttl;
}

/** A message's pieces; the first one carries its frame, the last one ends it. */
function framed(section: CacheSection, frame: Piece, pieces: readonly Piece[]): readonly PromptBlock[] {
  const list = pieces.length === 0 ? [{ name: "", tokens: 0 }] : pieces;
  return list.map(({ name, tokens, marker }, at) => ({
    section,
    text: `${frame.name} ${name}`,
    tokens: tokens + (at === 0 ? frame.tokens : 0),
    ...(marker === undefined ? {} : { marker }),
    ...(at === list.length - 1 ? { ends: true as const } : {}),
  }));
}

function contentPiece(block: Fields, text: Weigh): Piece {
  return { name: nameOf(block), tokens: weighContent(block, text), ...markerOf(block) };
}

/** The request's tools, which come before everything else. */
function toolBlocks(request: Fields, text: Weigh): readonly PromptBlock[] {
  return listOf(request["tools"]).map((tool): PromptBlock => {
    const known = nameOf(tool);
    return { section: "tools", text: known, tokens: text(known), ...markerOf(fieldsOf(tool)) };
  });
}

function anthropicPrompt(request: Fields, text: Weigh): CachePrompt {
  const blocks = [...toolBlocks(request, text), ...anthropicSystem(request, text), ...anthropicMessages(request, text)];
  return {
    blocks: markedAtTop(request, blocks),
    messageSettings: JSON.stringify([
      request["tool_choice"],
      fieldsOf(request["thinking"])["type"],
      fieldsOf(request["thinking"])["budget_tokens"],
    ]),
  };
}

function anthropicSystem(request: Fields, text: Weigh): readonly PromptBlock[] {
  return contentBlocks(request["system"], "text").map((block, at) => ({
    section: "system",
    text: nameOf(block),
    tokens: weighContent(block, text) + (at === 0 ? MESSAGE_TOKENS : 0),
    ...markerOf(block),
  }));
}

function anthropicMessages(request: Fields, text: Weigh): readonly PromptBlock[] {
  return listOf(request["messages"])
    .map(fieldsOf)
    .flatMap((message) =>
      contentBlocks(message["content"], "text").map((block, at): PromptBlock => ({
        section: "messages",
        text: `${String(message["role"])} ${nameOf(block)}`,
        tokens: weighAnthropic(block, text) + (at === 0 ? MESSAGE_TOKENS : 0),
        ...markerOf(block),
      })),
    );
}

function weighAnthropic(block: Fields, text: Weigh): number {
  switch (block["type"]) {
    case "tool_use":
      return CALL_TOKENS + text(textOf(block["name"]) ?? "") + text(JSON.stringify(block["input"]));
    case "tool_result":
      return contentBlocks(block["content"], "text").reduce((sum, one) => sum + weighContent(one, text), RESULT_TOKENS);
    case "thinking":
      return text(textOf(block["thinking"]) ?? "");
    case "redacted_thinking":
      return 0;
    default:
      return weighContent(block, text);
  }
}

/** A marker for the whole request is on the last block that can carry one. */
function markedAtTop(request: Fields, blocks: readonly PromptBlock[]): readonly PromptBlock[] {
  const { marker } = markerOf({ cache_control: request["cache_control"] });
  if (marker === undefined) return blocks;
  const own = listOf(request["messages"]).flatMap((one) => contentBlocks(fieldsOf(one)["content"], "text"));
  const behind = own.length - 1 - own.findLastIndex(canCarry);
  return blocks.map((block, at) => (at === blocks.length - 1 - behind ? { ...block, marker } : block));
}

function canCarry({ type, text }: Fields): boolean {
  return type !== "thinking" && type !== "redacted_thinking" && (type !== "text" || text !== "");
}

function geminiPrompt(request: Fields, text: Weigh): CachePrompt {
  const system = fieldsOf(request["systemInstruction"] ?? request["system_instruction"]);
  const pieces = piecesOf(system, text);
  const opening = pieces.length === 0 ? [] : framed("system", { name: "", tokens: MESSAGE_TOKENS }, pieces);
  const contents = listOf(request["contents"]).map(fieldsOf);
  return {
    blocks: [
      ...toolBlocks(request, text),
      ...opening,
      ...contents.flatMap((content) => contentOfGemini(content, text)),
    ],
    messageSettings: "",
  };
}

function contentOfGemini(content: Fields, text: Weigh): readonly PromptBlock[] {
  return framed("messages", { name: String(content["role"]), tokens: MESSAGE_TOKENS }, piecesOf(content, text));
}

function piecesOf(content: Fields, text: Weigh): readonly Piece[] {
  return listOf(content["parts"])
    .map(fieldsOf)
    .map((part) => ({ name: nameOf(part), tokens: weighPart(part, text) }));
}

function weighPart(part: Fields, text: Weigh): number {
  const { text: said, functionCall: call, functionResponse: response } = part;
  if (typeof said === "string") return text(said);
  if (isFields(call)) return CALL_TOKENS + text(textOf(call["name"]) ?? "") + text(JSON.stringify(call["args"] ?? {}));
  if (isFields(response)) return RESULT_TOKENS + text(JSON.stringify(response["response"] ?? {}));
  return isFields(part["inlineData"]) || isFields(part["fileData"]) ? MEDIA_TOKENS : text(nameOf(part));
}

function chatPrompt(request: Fields, text: Weigh): CachePrompt {
  const messages = listOf(request["messages"]).flatMap((one) => chatMessage(fieldsOf(one), text));
  return { blocks: [...toolBlocks(request, text), ...messages], messageSettings: "" };
}

function chatMessage(message: Fields, text: Weigh): readonly PromptBlock[] {
  const { role, content, refusal, tool_calls: calls } = message;
  const pieces = [
    ...contentBlocks(content, "text").map((block) => contentPiece(block, text)),
    ...(typeof refusal === "string" ? [{ name: `refusal ${refusal}`, tokens: text(refusal) }] : []),
    ...listOf(calls).map((call): Piece => {
      const asked = fieldsOf(fieldsOf(call)["function"] ?? fieldsOf(call)["custom"]);
      const given = textOf(asked["arguments"]) ?? textOf(asked["input"]) ?? "";
      return { name: nameOf(call), tokens: CALL_TOKENS + text(textOf(asked["name"]) ?? "") + text(given) };
    }),
  ];
  const name = [role, message["name"] ?? "", message["tool_call_id"] ?? ""].map(String).join(" ");
  return framed("messages", { name, tokens: MESSAGE_TOKENS + (role === "tool" ? RESULT_TOKENS : 0) }, pieces);
}

function responsesPrompt(request: Fields, text: Weigh): CachePrompt {
  return { blocks: [...toolBlocks(request, text), ...responsesItems(request, text)], messageSettings: "" };
}

function responsesItems(request: Fields, text: Weigh): readonly PromptBlock[] {
  const { input, instructions } = request;
  const system = textOf(instructions) ?? "";
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : listOf(input);
  return [
    ...(system === ""
      ? []
      : framed("system", { name: "", tokens: MESSAGE_TOKENS }, [{ name: system, tokens: text(system) }])),
    ...items
      .map(fieldsOf)
      .filter(({ type }) => type !== "compaction_trigger")
      .flatMap((item) => responsesItem(item, text)),
  ];
}

function responsesItem(item: Fields, text: Weigh): readonly PromptBlock[] {
  const kind = textOf(item["type"]) ?? "message";
  const isOutput = kind.endsWith("_output");
  if (kind !== "message" && !isOutput)
    return framed("messages", { name: "", tokens: MESSAGE_TOKENS }, [
      { name: nameOf(item), tokens: weighItem(item, text) },
    ]);
  const name = `${kind} ${String(item["role"])} ${String(item["call_id"])}`;
  const blocks = contentBlocks(item[isOutput ? "output" : "content"], "text");
  return framed(
    "messages",
    { name, tokens: MESSAGE_TOKENS + (isOutput ? RESULT_TOKENS : 0) },
    blocks.map((block) => contentPiece(block, text)),
  );
}

function weighItem(item: Fields, text: Weigh): number {
  switch (item["type"]) {
    case "function_call":
    case "custom_tool_call":
      return (
        CALL_TOKENS + text(textOf(item["name"]) ?? "") + text(textOf(item["arguments"]) ?? textOf(item["input"]) ?? "")
      );
    case "reasoning":
      return listOf(item["summary"]).reduce<number>((sum, one) => sum + text(textOf(fieldsOf(one)["text"]) ?? ""), 0);
    default:
      return text(nameOf(item));
  }
}
