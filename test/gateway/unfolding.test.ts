/** An answer that comes compressed is unfolded beside its relay as far as it is looked at, and no further. */
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { plainly, watched } from "../../src/gateway/request/relay.ts";

const MB = 1024 * 1024;
const LONG = Buffer.alloc(16 * MB, "a");

async function relayed(encoding: string, folded: Buffer, bytesMax: number) {
  const [pieces, looked]: [Buffer[], Buffer[]] = [[], []];
  let ends = 0;
  const watcher = {
    push: (chunk: Uint8Array) => void looked.push(Buffer.from(chunk)),
    end: () => void ends++,
  };
  async function* body() {
    for (let at = 0; at < folded.length; at += 4_096) yield folded.subarray(at, at + 4_096);
  }
  for await (const chunk of watched(body(), plainly(encoding, watcher, bytesMax))) pieces.push(Buffer.from(chunk));
  return { sent: Buffer.concat(pieces), looked: Buffer.concat(looked), ends };
}

it.each([
  ["gzip", gzipSync(LONG)],
  ["deflate", deflateSync(LONG)],
  ["br", brotliCompressSync(LONG, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ["zstd", zstdCompressSync(LONG)],
])("in %s", async (encoding, folded) => {
  const few = await relayed(encoding, folded, MB);
  expect(few.sent.equals(folded)).toBe(true);
  expect(few.looked.length).toBeGreaterThan(MB);
  expect(few.looked.length).toBeLessThan(2 * MB);
  expect(few.ends).toBe(1);
  const all = await relayed(encoding, folded, LONG.length);
  expect(all.looked.length).toBe(LONG.length);
  const broken = await relayed(encoding, folded.subarray(0, 20), MB);
  expect([broken.sent.length, broken.ends]).toEqual([20, 1]);
});
