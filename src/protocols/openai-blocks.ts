/** Content blocks that OpenAI's two protocols write alike. */
import type { FilePart, TextPart } from "../core/transcript/message.ts";
import type { Fields } from "./dialect.ts";
import { textOf } from "./fields.ts";
import { sourceOfUrl } from "./media.ts";

export function readText(block: Fields, at: number): TextPart | undefined {
  const text = textOf(block["text"]);
  return text === undefined ? undefined : { kind: "text", text, at };
}

export function readRefusal(block: Fields, at: number): TextPart | undefined {
  const text = textOf(block["refusal"]);
  return text === undefined ? undefined : { kind: "text", text, refusal: true, at };
}

/** A file by its bytes, its address, or its id at the provider. */
export function readFile(file: Fields, at: number): FilePart | undefined {
  const name = textOf(file["filename"]);
  const named = name === undefined ? {} : { name };
  const url = textOf(file["file_data"]) ?? textOf(file["file_url"]);
  if (url !== undefined) return { kind: "file", source: sourceOfUrl(url), ...named, at };
  const id = textOf(file["file_id"]);
  return id === undefined ? undefined : { kind: "file", source: { type: "id", id }, ...named, at };
}
