/**
 * Files that an agent compresses as it writes them: a Zstandard frame for each addition, the header in the first. What was written
 * last may not be whole.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { PrecisError } from "../core/errors.ts";

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** The bytes themselves where they are not compressed. Throws `unreadable_input` for what is damaged, or larger than the limit. */
export function unfolded(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) return bytes;
  const pieces: Uint8Array[] = [];
  let left = maxBytes;
  for (let at = 0; at < bytes.length;) {
    const { buffer, engine } = frameAt(bytes.subarray(at), left);
    if (engine.bytesWritten === 0) break;
    pieces.push(buffer);
    left -= buffer.length;
    at += engine.bytesWritten;
  }
  return Buffer.concat(pieces);
}

interface Frame {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Of a frame that was cut off, what there is. */
function frameAt(bytes: Uint8Array, maxOutputLength: number): Frame {
  try {
    const options = { info: true, maxOutputLength, finishFlush: constants.ZSTD_e_flush };
    return zstdDecompressSync(bytes, options) as unknown as Frame;
  } catch (cause) {
    throw new PrecisError(`it cannot be decompressed: ${(cause as Error).message}`, {
      code: "unreadable_input",
      hint: "Check that it is whole, and smaller than 500 MB when it is not compressed.",
      cause,
    });
  }
}

export function folded(text: string): Uint8Array {
  const end = text.indexOf("\n") + 1;
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  return Buffer.concat([text.slice(0, end), text.slice(end)].map((one) => zstdCompressSync(one, { params })));
}
