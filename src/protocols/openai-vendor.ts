/** OpenAI, which has two of the protocols. Other servers speak them too: what nobody else is known to be meant by is for it. */
import { type MediaLimits, sourceOfUrl } from "./media-limits.ts";
import { SERVER_ERROR_STATUS_MIN, type VendorDefinition } from "./definition.ts";
import type { FilePart, TextPart } from "../core/transcript/message.ts";
import { type Fields, textOf } from "./fields.ts";

const TOO_MANY_REQUESTS = 429;

export const openai: VendorDefinition = {
  name: "openai",
  url: "https://api.openai.com",
  telemetryName: "openai",
  isAddressed: () => true,
  errorBody: ({ status, code, message }) => ({ error: { message, type: errorType(status), param: null, code } }),
};

/** A request, in its own models: 1,500 pictures and 512 MB (https://github.com/openai/codex/pull/15569, 2026-03); sides are scaled down. */
export const OPENAI_MEDIA_LIMITS: MediaLimits = Object.freeze({
  bodyBytes: 512 * 1024 * 1024,
  images: 1_500,
  imageSide: Infinity,
  manyImages: Infinity,
  manyImageSide: Infinity,
});

/** Undefined for other vendors' models, which set limits of their own. */
export function openaiMediaLimits(model: string | undefined): MediaLimits | undefined {
  return model !== undefined && /^(?:gpt-(?!oss)|chatgpt|codex|o[1-9])/i.test(model) ? OPENAI_MEDIA_LIMITS : undefined;
}

/** What OpenAI's servers call an error of such a status; above a limit they name what there are too many of. */
function errorType(status: number): string {
  if (status === TOO_MANY_REQUESTS) return "requests";
  return status < SERVER_ERROR_STATUS_MIN ? "invalid_request_error" : "server_error";
}

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
