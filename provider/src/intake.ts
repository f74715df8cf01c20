/** The body of a request: read within bounds, decompressed within the same bounds, and parsed. */
import { Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { isFields, type Fields } from "../../src/protocols/fields.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import type { Wire } from "./wire.ts";

export interface Intake {
  readonly text: string;
  readonly body: Fields;
}

/** zstd came with Node 22.15. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

export async function takeIn(request: Request, wire: Wire, bytesMax: number): Promise<Refusal | Intake> {
  const encoding = request.headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const decoder = encoding === "identity" ? undefined : DECODERS[encoding];
  if (encoding !== "identity" && decoder === undefined)
    return { status: 415, reason: "encoding", message: `Unsupported content encoding: ${encoding}` };
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return wire.tooLarge;
  const bytes = await readAll(request, decoder, bytesMax);
  if (bytes === "too large") return wire.tooLarge;
  if (bytes === "broken") return { status: 400, reason: "encoding", message: `The body is not valid ${encoding}` };
  return parse(bytes, wire);
}

async function readAll(
  request: Request,
  decoder: (() => Transform) | undefined,
  bytesMax: number,
): Promise<Uint8Array | "too large" | "broken"> {
  if (request.body === null) return new Uint8Array();
  const raw = Readable.fromWeb(request.body as Parameters<typeof Readable.fromWeb>[0]);
  const plain = decoder === undefined ? raw : raw.on("error", () => undefined).pipe(decoder());
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of plain) {
      bytes += (chunk as Uint8Array).length;
      if (bytes > bytesMax) return "too large";
      chunks.push(chunk as Uint8Array);
    }
  } catch {
    return "broken";
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Uint8Array, wire: Wire): Refusal | Intake {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const body: unknown = JSON.parse(text);
    return isFields(body) ? { text, body } : wire.notJson("expected an object");
  } catch (error) {
    return wire.notJson((error as Error).message);
  }
}
