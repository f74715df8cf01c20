/** Content blocks of the Responses protocol: input_text, output_text, refusal, input_image, input_file. */
import type { ContentPart, Part, Role } from "../../core/transcript/message.ts";
import type { Fields } from "../dialect.ts";
import { textOf } from "../fields.ts";
import { objectText } from "../json/edit.ts";
import { dataUrl, mediaNote, sourceOfUrl } from "../media.ts";
import { readFile, readRefusal, readText } from "../openai-blocks.ts";

export function readBlock(block: Fields, at: number): ContentPart | undefined {
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

export interface BlockPlace {
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
