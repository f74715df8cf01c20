/** What a provider takes of pictures and bytes, beside a request's tokens, and what has to go where a request has more. How large a picture is stands in the first bytes of its file. */
import { exchangesOf } from "../core/transcript/exchanges.ts";
import {
  sameParts,
  type ImagePart,
  type Message,
  type Part,
  type Transcript,
  isMedia,
  mediaIn,
  type MediaPart,
  type FilePart,
  type MediaSource,
} from "../core/transcript/message.ts";

/** Numbers of one request; sides in pixels. */
export interface MediaLimits {
  readonly bodyBytes: number;
  readonly images: number;
  readonly imageSide: number;
  /** With more pictures than this, none may have a longer side than `manyImageSide`. */
  readonly manyImages: number;
  readonly manyImageSide: number;
}

/** Where something has to go, it goes down to this share of the limit: each change writes the provider's cache again. */
const LOWERED_SHARE = 0.5;
/** The rest is for what is not counted: the request's settings, and the frames of its messages. */
const COUNTED_SHARE = 0.98;

interface PlacedMedia {
  readonly part: MediaPart;
  readonly chars: number;
  readonly side: number;
  /** It is part of what the model has not answered to yet. */
  readonly isNew: boolean;
}

/** The pictures and files that a request is refused for, the oldest first; none where it is within the limits. */
export function mediaBeyond(
  transcript: Transcript,
  limits: MediaLimits,
  isProtected: (at: number) => boolean,
): ReadonlySet<Part> {
  const all = placedMedia(transcript.messages, isProtected);
  const leaving = new Set<Part>();
  const leave = (some: readonly PlacedMedia[]): void => some.forEach(({ part }) => leaving.add(part));
  const images = (): readonly PlacedMedia[] => all.filter(({ part }) => part.kind === "image" && !leaving.has(part));
  const leaveDownTo = (most: number): void => leave(images().slice(0, Math.max(0, images().length - most)));
  leave(images().filter(({ side }) => side > limits.imageSide));
  if (images().length > limits.images) leaveDownTo(limits.images * LOWERED_SHARE);
  const wide = (): readonly PlacedMedia[] =>
    images().length > limits.manyImages ? images().filter(({ side }) => side > limits.manyImageSide) : [];
  // A new picture is what the model is to look at: then it is the number of pictures that is brought down.
  if (wide().some(({ isNew }) => isNew)) leave(tooManyOld(images(), limits.manyImages * LOWERED_SHARE));
  leave(wide());
  let chars = requestChars(transcript) - sum(all.filter(({ part }) => leaving.has(part)));
  const most = limits.bodyBytes * COUNTED_SHARE;
  if (chars <= most) return leaving;
  for (const one of all) {
    if (chars <= (one.isNew ? most : most * LOWERED_SHARE)) break;
    if (leaving.has(one.part)) continue;
    leaving.add(one.part);
    chars -= one.chars;
  }
  return leaving;
}

/** Those of earlier turns that are too many. */
function tooManyOld(images: readonly PlacedMedia[], most: number): readonly PlacedMedia[] {
  return images.slice(0, Math.max(0, images.length - most)).filter(({ isNew }) => !isNew);
}

function placedMedia(messages: readonly Message[], isProtected: (at: number) => boolean): readonly PlacedMedia[] {
  const last = exchangesOf(messages).at(-1)?.start ?? 0;
  return messages.flatMap((message, at) =>
    isProtected(at)
      ? []
      : mediaIn(message).map((part) => ({
          part,
          chars: charsOfMedia(part),
          side: part.kind === "image" ? imageSide(part) : 0,
          isNew: at >= last,
        })),
  );
}

function charsOfMedia({ source }: MediaPart): number {
  return source.type === "data" ? source.data.length : 0;
}

function sum(media: readonly { readonly chars: number }[]): number {
  return media.reduce((total, { chars }) => total + chars, 0);
}

const weights = new WeakMap<Message, number>();

/** About how many characters a request has; what is in base64, which is nearly all of a large one, has as many bytes. */
export function requestChars({ system, messages, tools = "" }: Transcript): number {
  let chars = tools.length;
  for (const message of [...system, ...messages]) {
    let weight = weights.get(message);
    if (weight === undefined) weights.set(message, (weight = messageChars(message)));
    chars += weight;
  }
  return chars;
}

/** What a message came from may hold more than it does now. */
function messageChars({ parts, wire }: Message): number {
  const [only, ...others] = wire?.members ?? [];
  const isWhole = only !== undefined && others.length === 0 && sameParts(only.parts, parts);
  return isWhole ? wire!.raw.length : parts.reduce((total, part) => total + partChars(part), 0);
}

function partChars(part: Part): number {
  if (isMedia(part)) return charsOfMedia(part);
  if (part.kind !== "tool-result") return JSON.stringify(part).length;
  return part.content.reduce((total, piece) => total + partChars(piece), 0);
}

const HEAD_CHARS = 64;
/** What comes before the size in a photo, such as a preview, fits in this. */
const PHOTO_CHARS = 131_072;

const known = new WeakMap<ImagePart, number>();

/** The longer side in pixels; 0 for a picture that is not here, or of another kind. */
export function imageSide(part: ImagePart): number {
  if (part.source.type !== "data") return 0;
  let side = known.get(part);
  if (side === undefined) known.set(part, (side = readSide(part.source.data)));
  return side;
}

function readSide(base64: string): number {
  const head = decodeBase64(base64.slice(0, HEAD_CHARS));
  const size =
    png(head) ?? gif(head) ?? webp(head) ?? (isJpeg(head) ? jpeg(decodeBase64(base64.slice(0, PHOTO_CHARS))) : []);
  return size.reduce((most, side) => Math.max(most, side), 0);
}

/** None where it is not base64. */
function decodeBase64(base64: string): DataView {
  try {
    const text = atob(base64.slice(0, base64.length - (base64.length % 4)));
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return new DataView(bytes.buffer);
  } catch {
    return new DataView(new ArrayBuffer(0));
  }
}

type Size = readonly number[];

function says(bytes: DataView, at: number, text: string): boolean {
  if (at + text.length > bytes.byteLength) return false;
  return [...text].every((character, offset) => bytes.getUint8(at + offset) === character.charCodeAt(0));
}

function png(bytes: DataView): Size | undefined {
  if (!says(bytes, 1, "PNG") || !says(bytes, 12, "IHDR") || bytes.byteLength < 24) return undefined;
  return [bytes.getUint32(16), bytes.getUint32(20)];
}

function gif(bytes: DataView): Size | undefined {
  if (!says(bytes, 0, "GIF8") || bytes.byteLength < 10) return undefined;
  return [bytes.getUint16(6, true), bytes.getUint16(8, true)];
}

/** Lossy, lossless and extended files keep it in three ways. */
function webp(bytes: DataView): Size | undefined {
  if (!says(bytes, 8, "WEBP") || bytes.byteLength < 30) return undefined;
  if (says(bytes, 12, "VP8 ")) return [bytes.getUint16(26, true) & 0x3f_ff, bytes.getUint16(28, true) & 0x3f_ff];
  const bits = bytes.getUint32(21, true);
  if (says(bytes, 12, "VP8L")) return [(bits & 0x3f_ff) + 1, ((bits >> 14) & 0x3f_ff) + 1];
  const side = (at: number): number => bytes.getUint16(at, true) + bytes.getUint8(at + 2) * 65_536 + 1;
  return says(bytes, 12, "VP8X") ? [side(24), side(27)] : undefined;
}

function isJpeg(bytes: DataView): boolean {
  return bytes.byteLength > 4 && bytes.getUint16(0) === 0xff_d8;
}

/** Segments follow one another until the one that begins the frame. */
function jpeg(bytes: DataView): Size {
  for (let at = 2; at + 9 < bytes.byteLength && bytes.getUint8(at) === 0xff;) {
    const marker = bytes.getUint8(at + 1);
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return [bytes.getUint16(at + 7), bytes.getUint16(at + 5)];
    at += marker === 0xff ? 1 : 2 + bytes.getUint16(at + 2);
  }
  return [];
}

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
