/**
 * Reads Responses items. The items of one reply become one assistant message; its blocks are numbered through all of
 * them: each content block of a message item counts, and each other item.
 */
import type { OpaquePart, Part, Role, ContentPart } from "../../core/transcript/message.ts";
import { opaqueBlock, readContent } from "../content.ts";
import { type Draft, type WireElement } from "../dialect.ts";
import { type Fields, fieldsOf, listOf, textOf, isFields } from "../fields.ts";
import { objectText, memberText } from "../json.ts";
import { dataUrl, mediaNote, sourceOfUrl } from "../media-limits.ts";
import { readFile, readRefusal, readText } from "../openai-vendor.ts";

export function readItems(items: readonly WireElement[]): readonly Draft[] {
  const first = items[0]!;
  if (isReply(first.value)) return [{ role: "assistant", parts: readReply(items) }];
  const { value, text } = first;
  switch (kindOf(value)) {
    case "message":
      return [{ role: readRole(value), parts: readContentParts(value, "content", text) }];
    case "output": {
      const callId = textOf(value["call_id"]) ?? "";
      return [
        {
          role: "tool",
          parts: [{ kind: "tool-result", callId, content: readContentParts(value, "output", text), at: 0 }],
        },
      ];
    }
    default:
      return [{ role: roleOfOpaque(value), parts: [readOpaque(value, text)] }];
  }
}

function readOpaque(value: Fields, text: string): OpaquePart {
  const part = opaqueBlock(value, text, 0);
  const declares = declaredBy(value);
  return declares.length === 0 ? part : { ...part, declares };
}

function readRole(item: Fields): Role {
  return item["role"] === "system" || item["role"] === "developer" ? "system" : "user";
}

function readContentParts(value: Fields, key: string, text: string) {
  return readContent(value[key], () => memberText(text, key)!, readBlock);
}

function readReply(items: readonly WireElement[]): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const item of items) {
    const read = readReplyItem(item);
    for (const part of read) parts.push({ ...part, at: at++ });
  }
  return parts;
}

/** How many numbers an item of a reply takes. */
export function blockCount(item: Fields): number {
  if (kindOf(item) !== "message") return 1;
  const content = item["content"];
  if (Array.isArray(content)) return content.length;
  return content === undefined || content === null || content === "" ? 0 : 1;
}

function readReplyItem({ value, text }: WireElement): Part[] {
  switch (kindOf(value)) {
    case "message":
      return readContentParts(value, "content", text);
    case "reasoning":
      return [{ kind: "reasoning", text: readThought(value), ...(isPlainThought(value) ? { required: true } : {}) }];
    case "call":
      return [readCall(value, textOf(value["arguments"]) ?? memberText(text, "arguments") ?? "")];
    case "custom-call":
      return [{ ...readCall(value, textOf(value["input"]) ?? ""), custom: true }];
    case "hosted-call": {
      const type = textOf(value["type"])!;
      const args = memberText(text, hostedArgumentsKey(type)) ?? "{}";
      return [readCall({ call_id: value["call_id"], name: type.slice(0, -"_call".length) }, args)];
    }
    default:
      return [opaqueBlock(value, text, 0)];
  }
}

function readCall(value: Fields, args: string) {
  return {
    kind: "tool-call",
    id: textOf(value["call_id"]) ?? "",
    name: textOf(value["name"]) ?? "",
    arguments: args,
  } as const;
}

/** OpenAI shows no thought itself. Servers of open models do, and some refuse a call without the one that led to it. */
function isPlainThought({ content, encrypted_content: encrypted }: Fields): boolean {
  return listOf(content).length > 0 && typeof encrypted !== "string";
}

/** The summaries and, where open models send it, the text of the thought itself. */
function readThought(item: Fields): string {
  const pieces = [...listOf(item["summary"]), ...listOf(item["content"])].flatMap(
    (block) => textOf(fieldsOf(block)["text"]) ?? [],
  );
  return pieces.join("\n");
}

function readBlock(block: Fields, at: number): ContentPart | undefined {
  switch (block["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return readText(block, at);
    case "refusal":
      return readRefusal(block, at);
    case "input_image": {
      const url = textOf(block["image_url"]);
      if (url !== undefined) return { kind: "image", source: sourceOfUrl(url), at };
      const id = textOf(block["file_id"]);
      return id === undefined ? undefined : { kind: "image", source: { type: "id", id }, at };
    }
    case "input_file":
      return readFile(block, at);
    default:
      return undefined;
  }
}

interface BlockPlace {
  readonly role: Role;
  /** Whether blocks of unknown kind mean something here. */
  readonly opaque: boolean;
}

/** A new block. What an assistant said is output_text, all else is input; media cannot be in a reply. */
export function freshBlock(part: Part, { role, opaque }: BlockPlace): string | undefined {
  const textType = role === "assistant" ? '"output_text"' : '"input_text"';
  const text = (value: string): string => objectText({ type: textType, text: JSON.stringify(value) });
  switch (part.kind) {
    case "text":
      if (part.refusal === true && role === "assistant")
        return objectText({ type: '"refusal"', refusal: JSON.stringify(part.text) });
      return text(part.text);
    case "image": {
      if (role === "assistant" || role === "system") return text(mediaNote(part));
      const { source } = part;
      const place =
        source.type === "id"
          ? { file_id: source.id }
          : { image_url: source.type === "url" ? source.url : dataUrl(source) };
      return JSON.stringify({ type: "input_image", ...place });
    }
    case "file": {
      if (role === "assistant" || role === "system") return text(mediaNote(part));
      return JSON.stringify({ type: "input_file", ...filePlace(part) });
    }
    case "opaque":
      return opaque ? part.raw : text(part.told ?? `[${part.type}]`);
    default:
      return undefined;
  }
}

function filePlace({ source, name }: Extract<Part, { kind: "file" }>): Record<string, string> {
  switch (source.type) {
    case "id":
      return { file_id: source.id };
    case "url":
      return { file_url: source.url };
    case "data":
      return { filename: name ?? "file", file_data: dataUrl(source) };
  }
}

type ItemKind = "message" | "reasoning" | "call" | "custom-call" | "hosted-call" | "output" | "reply-opaque" | "opaque";

/**
 * Tools of the provider that the client runs: their calls and outputs pair by `call_id` like functions. The key names
 * where a call of this type keeps its arguments.
 */
const HOSTED_ARGUMENTS: Readonly<Record<string, string>> = Object.freeze({
  local_shell_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
  computer_call: "action",
});

export function hostedArgumentsKey(type: string): string {
  return HOSTED_ARGUMENTS[type] ?? "action";
}

/** Items that end a reply or stand outside of one. */
const STANDALONE: ReadonlySet<string | undefined> = new Set([
  "agent_message",
  "compaction",
  "compaction_summary",
  "context_compaction",
  "compaction_trigger",
]);

export function kindOf(item: Fields): ItemKind {
  const type = textOf(item["type"]);
  const paired = typeof item["call_id"] === "string";
  switch (type) {
    case undefined:
      return typeof item["role"] === "string" ? "message" : "opaque";
    case "message":
      return "message";
    case "reasoning":
      return "reasoning";
    case "function_call":
      return "call";
    case "custom_tool_call":
      return "custom-call";
    case "function_call_output":
    case "custom_tool_call_output":
      return "output";
    default:
      if (paired && type in HOSTED_ARGUMENTS) return "hosted-call";
      if (paired && type.endsWith("_output") && type.slice(0, -"_output".length) in HOSTED_ARGUMENTS) return "output";
      return STANDALONE.has(type) || isDirective(item) || /_(?:output|response)$/.test(type)
        ? "opaque"
        : "reply-opaque";
  }
}

/** Whether what is no content stands as an item of its own, whoever's message it is in. */
export function standsAlone(part: Part): part is OpaquePart {
  return part.kind === "opaque" && STANDALONE.has(part.type);
}

/**
 * What holds from an item on: tools that an agent adds on the way, with or without a role (Codex CLI), and settings, of which
 * the vendor's own compaction keeps the latest (https://developers.openai.com/api/docs/guides/compaction).
 */
function declaredBy(item: Fields): readonly string[] {
  if (item["type"] === "additional_tools") return declaredNames(item["tools"]);
  if (item["type"] !== "configuration_update") return [];
  return Object.keys(item).filter((key) => key !== "type" && key !== "id");
}

/** Every name in a declaration: of tools, of what they are in, and of their parameters. */
function declaredNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(declaredNames);
  if (!isFields(value)) return [];
  const name = textOf(value["name"]);
  return [...(name === undefined ? [] : [name]), ...Object.values(value).flatMap(declaredNames)];
}

/** What an agent's developer says beside messages, say which tools there are. */
function isDirective(item: Fields): boolean {
  return item["role"] === "developer" || item["role"] === "system" || declaredBy(item).length > 0;
}

/** Whether the item is something the model said, so that it is in one assistant message with its neighbours. */
function isReply(item: Fields): boolean {
  const kind = kindOf(item);
  if (kind === "message") return item["role"] === "assistant";
  return kind !== "output" && kind !== "opaque";
}

export function joins(before: Fields, next: Fields): boolean {
  return isReply(before) && isReply(next);
}

/** The role of an item that is no message and no part of a reply. */
function roleOfOpaque(item: Fields): "system" | "user" | "assistant" {
  if (isDirective(item)) return "system";
  const type = textOf(item["type"]) ?? "";
  return type.startsWith("compaction") && type !== "compaction_trigger" ? "assistant" : "user";
}
