/** A request's body, read whole within its bounds: the bytes as sent, the same decompressed, and their text. */
import { isAscii, isUtf8 } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import type { ClientRequest } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import { refuse, type Refused } from "./refusals.ts";
import { headerOf } from "./headers.ts";
import { promisify } from "node:util";

export interface ReceivedBody {
  /** As sent: what goes on where nothing changes, `content-encoding` with it. */
  readonly raw: Buffer;
  /** Decompressed. Equal to `raw` where it is not compressed, or cannot be decompressed (then `text` is undefined). */
  readonly plain: Buffer;
  /** Decoded when it is first read. `undefined` where it is not UTF-8, is compressed in a way that is not known, or is larger than `readBodyBytes`. */
  readonly text: string | undefined;
}

type IntakeLimits = Pick<GatewayLimits, "bodyBytes" | "readBodyBytes">;

const EMPTY: Buffer = Buffer.alloc(0);
const MB = 1024 * 1024;

/**
 * Refuses with a 413 what is larger than `bodyBytes`, as sent or as decompressed. A body that is not what its
 * `content-encoding` says is taken as it is: the provider may say what is wrong with it.
 *
 * @throws PrecisError `client_gone` when the client left before its body was whole.
 */
export async function receiveBody(client: ClientRequest, limits: IntakeLimits): Promise<ReceivedBody | Refused> {
  const { body, headers } = client;
  if (body === undefined) return { raw: EMPTY, plain: EMPTY, text: "" };
  if (Number(headerOf(headers, "content-length") ?? 0) > limits.bodyBytes) return tooLarge(client, limits);
  const raw = await collect(body, limits.bodyBytes);
  if (raw === undefined) return tooLarge(client, limits);
  const encoding = headerOf(headers, "content-encoding");
  const plain = isPlain(encoding) ? raw : await decompress(raw, encoding, limits.bodyBytes);
  if (plain === "too_large") return tooLarge(client, limits);
  if (plain === "unreadable") return { raw, plain: raw, text: undefined };
  return plain.length <= limits.readBodyBytes ? withText(raw, plain) : { raw, plain, text: undefined };
}

function withText(raw: Buffer, plain: Buffer): ReceivedBody {
  let known: { readonly text: string | undefined } | undefined;
  return {
    raw,
    plain,
    get text() {
      return (known ??= { text: decodeText(plain) }).text;
    },
  };
}

/** A byte order mark stays: what is spliced must be what was sent. */
function decodeText(bytes: Buffer): string | undefined {
  // Most bodies are ASCII, and take a third of the time then.
  if (isAscii(bytes)) return bytes.toString("latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

async function collect(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    chunks.push(chunk);
  }
  const [only] = chunks;
  if (chunks.length === 1 && Buffer.isBuffer(only)) return only;
  return bytes < SHARED_BYTES_MIN ? Buffer.concat(chunks, bytes) : shared(chunks, bytes);
}

/** Longer bodies are read in another thread, and are not copied for it. */
const SHARED_BYTES_MIN = 128 * 1024;
/** That many bytes are copied before others have their turn. */
const COPIED_BYTES_MAX = MB;

/** Copied once, where every thread can read it. */
async function shared(chunks: readonly Uint8Array[], bytes: number): Promise<Buffer> {
  const body = Buffer.from(new SharedArrayBuffer(bytes));
  let at = 0;
  let pause = COPIED_BYTES_MAX;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
    if (at < pause) continue;
    pause = at + COPIED_BYTES_MAX;
    await setImmediate();
  }
  return body;
}

function tooLarge(client: ClientRequest, { bodyBytes }: IntakeLimits): Refused {
  return {
    refused: refuse(client, {
      status: 413,
      code: "request_too_large",
      message: `precis: the request's body is larger than ${Math.floor(bodyBytes / MB)} MB.`,
      hint: "Send a smaller request, or raise the gateway's limit.",
    }),
  };
}

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

function isPlain(encoding: string | undefined): encoding is undefined {
  return encoding === undefined || encoding === "" || encoding.toLowerCase() === "identity";
}

/** Off the event loop. `unreadable`: an encoding that is not known, more than one, or bytes that are not in it. */
async function decompress(
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
