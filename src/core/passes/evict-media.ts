/** Replaces images and files by a note that names them and says how to fetch them again. */
import { type ContentPart, type MediaSource, type Part, isMedia, type MediaPart } from "../transcript/message.ts";
import { type Pass, rewriteParts, type Evict } from "./pass.ts";

/** Evicts all media outside protection. */
export const evictMedia: Pass = evictMediaWhere(() => true);

export function evictMediaWhere(leaves: (part: MediaPart) => boolean): Pass {
  const isLeaving = (part: Part): part is MediaPart => isMedia(part) && leaves(part);
  return (messages, context) =>
    rewriteParts(messages, context, {
      rewrite: (part, _, evict) => {
        if (isLeaving(part)) return noteFor(part, evict);
        if (part.kind !== "tool-result" || !part.content.some(isLeaving)) return part;
        return {
          ...part,
          content: Object.freeze(part.content.map((piece) => (isLeaving(piece) ? noteFor(piece, evict) : piece))),
        };
      },
      origin: "stub",
    });
}

function noteFor(part: MediaPart, evict: Evict): ContentPart {
  const name = part.kind === "file" && part.name !== undefined ? `${part.name}, ` : "";
  const label = `${part.kind} (${name}${described(part.source)})`;
  const id = evict("media", JSON.stringify(part.source), label);
  return Object.freeze({
    kind: "text",
    text: `[precis: ${label} left out here; recall ${id}]`,
    ...(part.at === undefined ? {} : { at: part.at }),
  });
}

const URL_CHARS_MAX = 120;
/** Base64 writes three bytes in four characters. */
const BYTES_PER_CHARACTER = 3 / 4;

function described(source: MediaSource): string {
  switch (source.type) {
    case "data":
      return `${source.mediaType}, ${Math.ceil((source.data.length * BYTES_PER_CHARACTER) / 1024)} KB`;
    case "url":
      return source.url.length > URL_CHARS_MAX ? `${source.url.slice(0, URL_CHARS_MAX)}…` : source.url;
    case "id":
      return source.id;
  }
}
