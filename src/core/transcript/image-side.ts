/** How large a picture is, read from the first bytes of its file: PNG, JPEG, GIF and WebP, the kinds that providers take. */
import type { ImagePart } from "./message.ts";

const HEAD_CHARS = 64;
/** What comes before the size in a photo, such as a preview, fits in this. */
const PHOTO_CHARS = 131_072;

const known = new WeakMap<ImagePart, number>();

/** The longer side in pixels; 0 for a picture that is not here, or of another kind. */
export function imageSide(part: ImagePart): number {
  if (part.source.type !== "data") return 0;
  let side = known.get(part);
  if (side === undefined) known.set(part, (side = sideIn(part.source.data)));
  return side;
}

function sideIn(base64: string): number {
  const head = bytesOf(base64.slice(0, HEAD_CHARS));
  const size =
    png(head) ?? gif(head) ?? webp(head) ?? (isJpeg(head) ? jpeg(bytesOf(base64.slice(0, PHOTO_CHARS))) : []);
  return size.reduce((most, side) => Math.max(most, side), 0);
}

/** None where it is not base64. */
function bytesOf(base64: string): DataView {
  try {
    const text = atob(base64.slice(0, base64.length - (base64.length % 4)));
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
    return new DataView(bytes.buffer);
  } catch {
    return new DataView(new ArrayBuffer(0));
  }
}

/** Width and height; nothing where the file does not say. */
type Size = readonly number[];

/** Whether these characters are there. */
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
