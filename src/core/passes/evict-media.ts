/** Replaces images and files by a note that names them and says how to fetch them again. */
import type { ContentPart, FilePart, ImagePart, MediaSource, Message, Part } from "../transcript/message.ts";
import type { Pass } from "./pass.ts";
import { rewriteParts, type Evict } from "./rewrite.ts";

/** Evicts all media outside protection. */
export const evictMedia: Pass = evictMediaExcept(0);

/** Evicts media outside protection but for the newest `keep` images and files of the conversation. */
export function evictMediaExcept(keep: number): Pass {
  return (messages, context) => {
    const kept = newestMedia(messages, keep);
    const leaves = (part: Part): part is ImagePart | FilePart => isMedia(part) && !kept.has(part);
    return rewriteParts(messages, context, {
      rewrite: (part, _, evict) => {
        if (leaves(part)) return noteFor(part, evict);
        if (part.kind !== "tool-result" || !part.content.some(leaves)) return part;
        return {
          ...part,
          content: Object.freeze(part.content.map((piece) => (leaves(piece) ? noteFor(piece, evict) : piece))),
        };
      },
      origin: "stub",
    });
  };
}

function isMedia(part: Part): part is ImagePart | FilePart {
  return part.kind === "image" || part.kind === "file";
}

function newestMedia(messages: readonly Message[], keep: number): ReadonlySet<Part> {
  if (keep <= 0) return new Set();
  const parts = messages.flatMap((message): readonly Part[] =>
    message.parts.flatMap((part): readonly Part[] => (part.kind === "tool-result" ? part.content : [part])),
  );
  return new Set(parts.filter(isMedia).slice(-keep));
}

function noteFor(part: ImagePart | FilePart, evict: Evict): ContentPart {
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
