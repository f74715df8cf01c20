/** A request's body, read whole within its bounds: the bytes as sent, the same decompressed, and their text. */
import { isAscii, isUtf8 } from "node:buffer";
import type { Arrival } from "../contract.ts";
import type { GatewayLimits } from "../limits.ts";
import { decompress, isPlain } from "./decompress.ts";
import { refuse, type Refused } from "./refusals.ts";
import { headerOf } from "./vendor.ts";

export interface Intake {
  /** As sent: what goes on where nothing changes, `content-encoding` with it. */
  readonly raw: Buffer;
  /** Decompressed. Equal to `raw` where it is not compressed, or cannot be decompressed (then `text` is undefined). */
  readonly plain: Buffer;
  /** `undefined` where it is not UTF-8, is compressed in a way that is not known, or is larger than `readBodyBytes`. */
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
export async function takeIn(arrival: Arrival, limits: IntakeLimits): Promise<Intake | Refused> {
  const { body, headers } = arrival;
  if (body === undefined) return { raw: EMPTY, plain: EMPTY, text: "" };
  if (Number(headerOf(headers, "content-length") ?? 0) > limits.bodyBytes) return tooLarge(arrival, limits);
  const raw = await collect(body, limits.bodyBytes);
  if (raw === undefined) return tooLarge(arrival, limits);
  const encoding = headerOf(headers, "content-encoding");
  const plain = isPlain(encoding) ? raw : await decompress(raw, encoding, limits.bodyBytes);
  if (plain === "too_large") return tooLarge(arrival, limits);
  if (plain === "unreadable") return { raw, plain: raw, text: undefined };
  return { raw, plain, text: plain.length <= limits.readBodyBytes ? textOf(plain) : undefined };
}

/** A byte order mark stays: what is spliced must be what was sent. */
function textOf(bytes: Buffer): string | undefined {
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
  return Buffer.concat(chunks, bytes);
}

function tooLarge(arrival: Arrival, { bodyBytes }: IntakeLimits): Refused {
  return {
    refused: refuse(arrival, {
      status: 413,
      code: "request_too_large",
      message: `precis: the request's body is larger than ${Math.floor(bodyBytes / MB)} MB.`,
      hint: "Send less at once, or raise the gateway's limit.",
    }),
  };
}
