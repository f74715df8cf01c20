/** A request's body, read whole within its bounds: the bytes as sent, the same decompressed, and their text. */
import { isAscii, isUtf8 } from "node:buffer";
import type { Transform } from "node:stream";
import { setImmediate } from "node:timers/promises";
import * as zlib from "node:zlib";
import { PrecisError } from "../../core/errors.ts";
import type { ClientRequest } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import { gatewayBusy, refuse, type Refused } from "./refusals.ts";
import { headerOf } from "./headers.ts";

export interface ReceivedBody {
  /** As sent: what goes on where nothing changes, `content-encoding` with it. */
  readonly raw: Buffer;
  /** Decompressed. Equal to `raw` where it is not compressed, or cannot be decompressed (then `text` is undefined). */
  readonly plain: Buffer;
  /** Decoded when it is first read. `undefined` where it is not UTF-8, is compressed in a way that is not known, or is larger than `readBodyBytes`. */
  readonly text: string | undefined;
}

type IntakeLimits = Pick<GatewayLimits, "bodyBytes" | "readBodyBytes" | "unfoldedRatio">;

/** Does a piece of work when its turn comes: few bodies are decompressed at once. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

const EMPTY: Buffer = Buffer.alloc(0);
const MB = 1024 * 1024;
const PIECES = { chunkSize: 64 * 1024 };
/** A body may always grow to this size: short ones repeat themselves more. */
const UNFOLDED_BYTES_MIN = MB;

/**
 * Refuses with a 413 what is larger than `bodyBytes`, as sent or as decompressed, or grows more than `unfoldedRatio`
 * allows. A body that is not what its `content-encoding` says is taken as it is: the provider may say what is wrong with it.
 *
 * @throws PrecisError `client_gone` when the client left before its body was whole; `gateway_busy` where there is no room for it.
 */
export async function receiveBody(
  client: ClientRequest,
  limits: IntakeLimits,
  inTurn: InTurn = (work) => work(),
): Promise<ReceivedBody | Refused> {
  const { body, headers } = client;
  if (body === undefined) return { raw: EMPTY, plain: EMPTY, text: "" };
  if (Number(headerOf(headers, "content-length") ?? 0) > limits.bodyBytes) return tooLarge(client, limits);
  const raw = await collect(body, limits.bodyBytes);
  if (raw === undefined) return tooLarge(client, limits);
  const encoding = headerOf(headers, "content-encoding");
  const plain = isPlain(encoding) ? raw : await inTurn(() => decompress(raw, encoding, client, limits));
  if (plain === "too_large") return tooLarge(client, limits, unfoldedMax(raw, limits));
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

/** What a compressed body may grow to. */
function unfoldedMax(raw: Buffer, { bodyBytes, unfoldedRatio }: IntakeLimits): number {
  return Math.min(bodyBytes, Math.max(UNFOLDED_BYTES_MIN, raw.length * unfoldedRatio));
}

function tooLarge(client: ClientRequest, { bodyBytes, unfoldedRatio }: IntakeLimits, bytesMax = bodyBytes): Refused {
  const grown = bytesMax < bodyBytes;
  return {
    refused: refuse(client, {
      status: 413,
      code: "request_too_large",
      message: grown
        ? `precis: the request's compressed body grows to more than ${unfoldedRatio} times its size.`
        : `precis: the request's body is larger than ${Math.floor(bodyBytes / MB)} MB.`,
      hint: grown ? "Send it uncompressed." : "Send a smaller request, or raise the gateway's limit.",
    }),
  };
}

const FOLDED_BY: Readonly<Record<string, (raw: Buffer) => Transform>> = {
  gzip: () => zlib.createGunzip(PIECES),
  "x-gzip": () => zlib.createGunzip(PIECES),
  deflate: (raw) => (isFramed(raw) ? zlib.createInflate(PIECES) : zlib.createInflateRaw(PIECES)),
  br: () => zlib.createBrotliDecompress(PIECES),
  zstd: () => zlib.createZstdDecompress(PIECES),
};

/** What `deflate` names is a zlib stream; some clients send it without its frame. */
function isFramed(raw: Buffer): boolean {
  return raw.length >= 2 && (raw[0]! & 0x0f) === 8 && raw.readUInt16BE(0) % 31 === 0;
}

function isPlain(encoding: string | undefined): encoding is undefined {
  return encoding === undefined || encoding === "" || encoding.toLowerCase() === "identity";
}

/**
 * Off the event loop, piece by piece: each counts as the bytes that were sent do, and what is refused or cannot be read is
 * given back. `unreadable`: an encoding that is not known, more than one, or bytes that are not in it.
 */
async function decompress(
  raw: Buffer,
  encoding: string,
  { load, signal }: ClientRequest,
  limits: IntakeLimits,
): Promise<Buffer | "too_large" | "unreadable"> {
  const stream = FOLDED_BY[encoding.trim().toLowerCase()]?.(raw);
  if (stream === undefined) return "unreadable";
  signal.throwIfAborted();
  let counted = 0;
  const giveBack = (): void => load?.release(counted);
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      if (load?.take(piece.length) === false) throw gatewayBusy();
      counted += piece.length;
      yield piece;
    }
  };
  stream.end(raw);
  try {
    const plain = await collect(pieces(), unfoldedMax(raw, limits));
    if (plain !== undefined) return plain;
    giveBack();
    return "too_large";
  } catch (error) {
    giveBack();
    if (signal.aborted || error instanceof PrecisError) throw error;
    return "unreadable";
  }
}
