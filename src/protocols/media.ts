/** Images and files as the protocols write them: data URLs taken apart and put together. */
import type { FilePart, ImagePart, MediaSource } from "../core/transcript/message.ts";

const BASE64_MARK = ";base64,";
/** A media type with its parameters is short; anything longer before the comma is not a data URL. */
const MAX_MEDIA_TYPE_CHARS = 256;

/** A data URL's bytes, or the address itself. */
export function sourceOfUrl(url: string): MediaSource {
  if (!url.startsWith("data:")) return { type: "url", url };
  const mark = url.slice(0, MAX_MEDIA_TYPE_CHARS).indexOf(BASE64_MARK);
  if (mark < 0) return { type: "url", url };
  return { type: "data", mediaType: url.slice("data:".length, mark), data: url.slice(mark + BASE64_MARK.length) };
}

export function dataUrl(source: Extract<MediaSource, { type: "data" }>): string {
  return `data:${source.mediaType}${BASE64_MARK}${source.data}`;
}

/** What stands in for media that the target protocol cannot carry in this place. */
export function mediaNote(part: ImagePart | FilePart): string {
  const what = part.kind === "file" && part.name !== undefined ? `file ${part.name}` : part.kind;
  switch (part.source.type) {
    case "url":
      return `[${what}: ${part.source.url.startsWith("data:") ? "inline data" : part.source.url}]`;
    case "id":
      return `[${what}: stored as ${part.source.id}]`;
    case "data":
      return `[${what}: ${part.source.mediaType}, cannot be carried here]`;
  }
}
