/**
 * Reads Responses items. The items of one reply become one assistant message; its blocks are numbered through all of
 * them: each content block of a message item counts, and each other item.
 */
import type { OpaquePart, Part, Role, ContentPart } from "../../core/transcript/message.ts";
import { opaqueBlock, readContent } from "../content.ts";
import type { Draft, Fields, WireElement } from "../dialect.ts";
import { fieldsOf, listOf, textOf } from "../fields.ts";
import { memberText } from "../json/scan.ts";
import { declaredBy, hostedArgumentsKey, isReply, kindOf, roleOfOpaque } from "./items.ts";
import { objectText } from "../json/edit.ts";
import { dataUrl, mediaNote, sourceOfUrl } from "../media-limits.ts";
import { readFile, readRefusal, readText } from "../openai-vendor.ts";

export function readItems(items: readonly WireElement[]): readonly Draft[] {
  const first = items[0]!;
  if (isReply(first.value)) return [{ role: "assistant", parts: readReply(items) }];
  const { value, text } = first;
  switch (kindOf(value)) {
    case "message":
      return [{ role: roleOf(value), parts: contentOf(value, "content", text) }];
    case "output": {
      const callId = textOf(value["call_id"]) ?? "";
      return [
        { role: "tool", parts: [{ kind: "tool-result", callId, content: contentOf(value, "output", text), at: 0 }] },
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

function roleOf(item: Fields): Role {
  return item["role"] === "system" || item["role"] === "developer" ? "system" : "user";
}

function contentOf(value: Fields, key: string, text: string) {
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
      return contentOf(value, "content", text);
    case "reasoning":
      return [{ kind: "reasoning", text: thoughtOf(value), ...(isPlainThought(value) ? { required: true } : {}) }];
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
function thoughtOf(item: Fields): string {
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
