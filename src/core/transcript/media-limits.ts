/** What a provider takes of pictures and bytes, beside a request's tokens, and what has to go where a request has more. */
import { exchangesOf } from "./exchanges.ts";
import { imageSide } from "./image-side.ts";
import { sameParts, type FilePart, type ImagePart, type Message, type Part, type Transcript } from "./message.ts";

/** Numbers of one request; sides in pixels. */
export interface MediaLimits {
  readonly bodyBytes: number;
  readonly images: number;
  readonly imageSide: number;
  /** With more pictures than this, none may have a longer side than `manyImageSide`. */
  readonly manyImages: number;
  readonly manyImageSide: number;
}

export type MediaPart = ImagePart | FilePart;

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
  if (wide().some(({ isNew }) => isNew)) leave(oldOf(images(), limits.manyImages * LOWERED_SHARE));
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
function oldOf(images: readonly PlacedMedia[], most: number): readonly PlacedMedia[] {
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

export function mediaIn({ parts }: Message): readonly MediaPart[] {
  return parts
    .flatMap((part): readonly Part[] => (part.kind === "tool-result" ? part.content : [part]))
    .filter(isMedia);
}

export function isMedia(part: Part): part is MediaPart {
  return part.kind === "image" || part.kind === "file";
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
