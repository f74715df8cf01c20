/** The encodings that a body may come in, undone within a bound on what they unfold to. */
import { promisify } from "node:util";
import * as zlib from "node:zlib";

type Unfold = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const gunzip: Unfold = promisify(zlib.gunzip);
const inflate: Unfold = promisify(zlib.inflate);
const inflateRaw: Unfold = promisify(zlib.inflateRaw);
const brotli: Unfold = promisify(zlib.brotliDecompress);
const zstd: Unfold = promisify(zlib.zstdDecompress);

/** What `deflate` names is a zlib stream; some clients send it without its frame. */
async function deflate(bytes: Buffer, options: { readonly maxOutputLength: number }): Promise<Buffer> {
  const framed = bytes.length >= 2 && (bytes[0]! & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return framed ? inflate(bytes, options) : inflateRaw(bytes, options);
}

const UNFOLD: ReadonlyMap<string, Unfold> = new Map([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["deflate", deflate],
  ["br", brotli],
  ["zstd", zstd],
]);

/** True where `content-encoding` says that the bytes are the content itself. */
export function isPlain(encoding: string | undefined): encoding is undefined {
  return encoding === undefined || encoding === "" || encoding.toLowerCase() === "identity";
}

/** Off the event loop. `unreadable`: an encoding that is not known, more than one, or bytes that are not in it. */
export async function decompress(
  bytes: Buffer,
  encoding: string,
  bytesMax: number,
): Promise<Buffer | "too_large" | "unreadable"> {
  const unfold = UNFOLD.get(encoding.trim().toLowerCase());
  if (unfold === undefined) return "unreadable";
  try {
    return await unfold(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    return (error as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "unreadable";
  }
}
