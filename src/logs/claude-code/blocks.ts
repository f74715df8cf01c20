/**
 * Content blocks as Claude Code records them, in the form of core. Thinking keeps its text and loses its signature:
 * a signature is bound to the exact prefix it was made for, and an imported history is never that prefix again.
 */
import type { ContentPart, MediaSource, Part } from "../../core/transcript/message.ts";
import { fieldsOf, jsonOf, objectsOf, textOf, type Fields } from "../fields.ts";
import { opaqueBlock } from "../../protocols/content.ts";

/** A block of a reply. */
export function replyPart(block: Fields): Part {
  switch (block["type"]) {
    case "thinking":
      return { kind: "reasoning", text: textOf(block["thinking"]) ?? "" };
    case "redacted_thinking":
      return { kind: "reasoning", text: "" };
    case "tool_use":
      return {
        kind: "tool-call",
        id: textOf(block["id"]) ?? "",
        name: textOf(block["name"]) ?? "unknown",
        arguments: jsonOf(block["input"] ?? {}),
      };
    default:
      return contentPart(block);
  }
}

/** Content of a user message or a result: a string or a list of blocks. */
export function contentParts(content: unknown): readonly ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return blocksOf(content).map(contentPart);
}

/** The blocks of a message; a string is one text block. */
export function blocksOf(content: unknown): readonly Fields[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
}

function contentPart(block: Fields): ContentPart {
  const opaque = (): ContentPart => opaqueBlock(block, jsonOf(block));
  switch (block["type"]) {
    case "text":
      return { kind: "text", text: textOf(block["text"]) ?? "" };
    case "image": {
      const source = mediaSource(block["source"]);
      return source === undefined ? opaque() : { kind: "image", source };
    }
    case "document": {
      const source = mediaSource(block["source"]);
      const name = textOf(block["title"]);
      if (source === undefined) return opaque();
      return name === undefined ? { kind: "file", source } : { kind: "file", source, name };
    }
    default:
      return opaque();
  }
}

function mediaSource(value: unknown): MediaSource | undefined {
  const source = fieldsOf(value);
  const data = textOf(source?.["data"]);
  const url = textOf(source?.["url"]);
  const id = textOf(source?.["file_id"]);
  if (data !== undefined)
    return { type: "data", mediaType: textOf(source?.["media_type"]) ?? "application/octet-stream", data };
  if (url !== undefined) return { type: "url", url };
  return id === undefined ? undefined : { type: "id", id };
}
