/**
 * An answer on its way back: byte for byte as it comes, read beside it for what it reports, and with its end held back
 * until the request's own messages are kept.
 */
import type { Transform } from "node:stream";
import { finished } from "node:stream/promises";
import * as zlib from "node:zlib";
import type { Bytes } from "../contract.ts";
import { failureText } from "../transport/failures.ts";
import type { RequestRecord } from "./record.ts";

export interface ByteWatcher {
  readonly push: (chunk: Uint8Array) => void;
  /** Settles when all of it has been looked at. */
  readonly end: () => Promise<void> | void;
}

export type Chunks = AsyncGenerator<Uint8Array, void, undefined>;

/** The same bytes, each shown to a watcher as it is read. */
export async function* watched(body: Bytes, watcher: ByteWatcher): Chunks {
  for await (const chunk of body) {
    watcher.push(chunk);
    yield chunk;
  }
  await watcher.end();
}

/** What was read of a body already, then the rest of it. */
export async function* resumed(read: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): Chunks {
  try {
    yield* read;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

export interface RelayOptions {
  readonly record: RequestRecord;
  /** A stream goes on as it comes; of a whole body the last piece waits too. */
  readonly streamed: boolean;
  /** Whether what has come of a stream is all of it: some clients leave before its connection ends. */
  readonly isComplete: () => boolean;
  /** Called when all of it has come; settles when the end may be reported. */
  readonly committed: () => Promise<void>;
  /** After the last byte; not where the client left or the provider broke off. */
  readonly whenWhole: () => void;
}

export async function* relay(body: Bytes, options: RelayOptions): Chunks {
  const { record, streamed, isComplete, committed, whenWhole } = options;
  let held: Uint8Array | undefined;
  let whole = false;
  try {
    for await (const chunk of body) {
      record.begun();
      record.bytesOut += chunk.length;
      if (streamed) {
        record.delivered ||= isComplete();
        yield chunk;
      } else {
        if (held !== undefined) yield held;
        held = chunk;
      }
    }
    await committed();
    whole = true;
    record.delivered = true;
    if (held !== undefined) yield held;
  } catch (error) {
    record.failure = failureText(error);
    throw error;
  } finally {
    // If the client left, that has been recorded already.
    if (!whole && record.delivered) await committed();
    if (record.delivered) whenWhole();
    else record.over("upstream_failed");
  }
}

const FLUSH = { finishFlush: zlib.constants.Z_SYNC_FLUSH };
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(FLUSH),
  "x-gzip": () => zlib.createGunzip(FLUSH),
  deflate: () => zlib.createInflate(FLUSH),
  br: zlib.createBrotliDecompress,
  zstd: zlib.createZstdDecompress,
};

/** Lets a watcher read what is relayed compressed, up to a size; of a coding that we do not know it sees nothing. */
export function plainly(encoding: string | undefined, watcher: ByteWatcher, bytesMax: number): ByteWatcher {
  if (encoding === undefined || encoding === "identity") return watcher;
  const decoder = DECODERS[encoding.toLowerCase()]?.();
  if (decoder === undefined) return { push: () => undefined, end: () => undefined };
  let bytes = 0;
  decoder.on("data", (chunk: Uint8Array) => {
    watcher.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) decoder.destroy();
  });
  // A broken coding is for the client to find; we learn nothing more of it.
  const done = finished(decoder).catch(() => undefined);
  return {
    push: (chunk) => void (decoder.destroyed || decoder.write(chunk)),
    end: async () => {
      if (!decoder.destroyed) decoder.end();
      await done;
      await watcher.end();
    },
  };
}
