/** Content blocks of Chat Completions: text, refusal, image_url, file; anything else is carried as it is. */
import type { ContentPart, Part } from "../../core/transcript/message.ts";
import { objectText } from "../json/edit.ts";
import { dataUrl, mediaNote, sourceOfUrl } from "../media.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf } from "../fields.ts";
import { readFile, readRefusal, readText } from "../openai-blocks.ts";

export function readBlock(block: Fields, at: number): ContentPart | undefined {
  switch (block["type"]) {
    case "text":
      return readText(block, at);
    case "refusal":
      return readRefusal(block, at);
    case "image_url": {
      const url = fieldsOf(block["image_url"])["url"];
      return typeof url === "string" ? { kind: "image", source: sourceOfUrl(url), at } : undefined;
    }
    case "file":
      return readFile(fieldsOf(block["file"]), at);
    default:
      return undefined;
  }
}

const text = (value: string): string => objectText({ type: '"text"', text: JSON.stringify(value) });

/** A new block for a user message; other roles take text only, so media become a note there. */
export function freshBlock(
  part: Part,
  allows: { readonly media: boolean; readonly opaque: boolean },
): string | undefined {
  switch (part.kind) {
    case "text":
      return part.refusal === true
        ? objectText({ type: '"refusal"', refusal: JSON.stringify(part.text) })
        : text(part.text);
    case "image":
      if (!allows.media || part.source.type === "id") return text(mediaNote(part));
      return objectText({
        type: '"image_url"',
        image_url: JSON.stringify({ url: part.source.type === "url" ? part.source.url : dataUrl(part.source) }),
      });
    case "file": {
      if (!allows.media || part.source.type === "url") return text(mediaNote(part));
      const file =
        part.source.type === "id"
          ? { file_id: part.source.id }
          : { filename: part.name ?? "file", file_data: dataUrl(part.source) };
      return objectText({ type: '"file"', file: JSON.stringify(file) });
    }
    case "opaque":
      return allows.opaque ? part.raw : text(part.told ?? `[${part.type}]`);
    default:
      return undefined;
  }
}
