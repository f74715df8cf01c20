/** What is taken in is what was sent, unfolded within its bounds, and text only where it is text. */
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClientRequest } from "../../../src/gateway/contract.ts";
import { receiveBody } from "../../../src/gateway/transport/request-body.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const LIMITS = { bodyBytes: 4_096, readBodyBytes: 2_048, unfoldedRatio: 200 };

function arrival(pieces: readonly Uint8Array[], encoding?: string): ClientRequest {
  return {
    method: "POST",
    target: "/v1/messages",
    headers: encoding === undefined ? [] : [["Content-Encoding", encoding]],
    body: (async function* () {
      yield* pieces;
    })(),
    signal: new AbortController().signal,
  };
}

type Coding = [encoding: string | undefined, code: (bytes: Buffer) => Buffer];

test("raw, plain and text agree with what was sent in any pieces", async () => {
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    fc.string({ unit: "grapheme", maxLength: 600 }).map((text) => new TextEncoder().encode(text)),
  );
  const coding = fc.constantFrom<Coding[]>(
    [undefined, (bytes) => bytes],
    ["identity", (bytes) => bytes],
    ["gzip", gzipSync],
    ["X-GZIP", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  );
  await fc.assert(
    fc.asyncProperty(content, coding, fc.integer({ min: 1, max: 700 }), async (sent, [encoding, code], size) => {
      const raw = code(Buffer.from(sent));
      const pieces = Array.from({ length: Math.ceil(raw.length / size) }, (_, at) =>
        raw.subarray(at * size, (at + 1) * size),
      );
      const intake = await receiveBody(arrival(pieces, encoding), LIMITS);
      if ("refused" in intake) throw new Error("it was refused");
      expect(intake.raw.equals(raw)).toBe(true);
      expect(intake.plain.equals(Buffer.from(sent))).toBe(true);
      if (intake.text === undefined) expect(Buffer.from(sent).toString()).toContain("\ufffd");
      else expect(Buffer.from(intake.text).equals(Buffer.from(sent))).toBe(true);
    }),
    { numRuns: RUNS },
  );
});

describe("the bounds", () => {
  const status = async (bytes: number, code: (raw: Buffer) => Buffer, encoding?: string): Promise<unknown> => {
    const intake = await receiveBody(arrival([code(Buffer.alloc(bytes, "a"))], encoding), LIMITS);
    return "refused" in intake ? intake.refused.status : intake.text?.length;
  };
  const same = (raw: Buffer): Buffer => raw;

  test.each([
    [2_048, 2_048],
    [2_049, undefined],
    [4_096, undefined],
    [4_097, 413],
  ])("%i bytes give %s, compressed or not", async (bytes, outcome) => {
    expect(await status(bytes, same)).toBe(outcome);
    expect(await status(bytes, gzipSync, "gzip")).toBe(outcome);
    expect(await status(bytes, brotliCompressSync, "br")).toBe(outcome);
    expect(await status(bytes, zstdCompressSync, "zstd")).toBe(outcome);
  });

  test("nothing is read of a body that says it is too large", async () => {
    let read = false;
    const body = (async function* () {
      read = true;
      yield Buffer.alloc(1);
    })();
    const intake = await receiveBody({ ...arrival([]), headers: [["content-length", "4097"]], body }, LIMITS);
    expect(intake).toHaveProperty("refused.status", 413);
    expect(read).toBe(false);
  });
});

test.each([
  ["gzip", Buffer.from("not compressed")],
  ["gzip", gzipSync("cut").subarray(0, 12)],
  ["gzip, br", gzipSync("twice")],
  ["unheard-of", Buffer.from("{}")],
])("what cannot be unfolded (%s) is taken as it is, and is no text", async (encoding, raw) => {
  expect(await receiveBody(arrival([raw], encoding), LIMITS)).toEqual({ raw, plain: raw, text: undefined });
});

test("a request without a body is an empty text", async () => {
  expect(await receiveBody({ ...arrival([]), body: undefined }, LIMITS)).toMatchObject({ text: "" });
});

describe("what a compressed body grows to", () => {
  const MB = 1024 * 1024;
  const WIDE = { bodyBytes: 64 * MB, readBodyBytes: 64 * MB, unfoldedRatio: 200 };
  const FOLDED = [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", (raw: Buffer) => brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
    ["zstd", zstdCompressSync],
  ] as const;
  const counting = (bytesMax: number) => {
    const seen = { held: 0, most: 0 };
    const take = (bytes: number): boolean => {
      if (seen.held + bytes > bytesMax) return false;
      seen.held += bytes;
      seen.most = Math.max(seen.most, seen.held);
      return true;
    };
    return { seen, load: { take, release: (bytes: number) => void (seen.held -= bytes) } };
  };

  test.each(FOLDED)("is counted as it appears, and given back where it is refused: %s", async (encoding, code) => {
    const text = Buffer.from(Array.from({ length: 400_000 }, (_, at) => String(at * 7_919)).join(" "));
    const folded = code(text);
    const roomy = counting(16 * MB);
    const body = await receiveBody({ ...arrival([folded], encoding), load: roomy.load }, WIDE);
    expect("plain" in body && body.plain.length).toBe(text.length);
    expect(roomy.seen.held).toBe(text.length);
    const narrow = counting(MB);
    const busy = receiveBody({ ...arrival([folded], encoding), load: narrow.load }, WIDE);
    await expect(busy).rejects.toMatchObject({
      code: "gateway_busy",
      cause: { retryAfterSeconds: expect.any(Number) },
    });
    expect(narrow.seen).toEqual({ held: 0, most: expect.any(Number) });
    expect(narrow.seen.most).toBeGreaterThan(MB / 2);
  });

  test.each(FOLDED)("is refused where it is out of proportion, before it is large: %s", async (encoding, code) => {
    const bomb = code(Buffer.alloc(48 * MB, " "));
    const { seen, load } = counting(64 * MB);
    const body = await receiveBody({ ...arrival([bomb], encoding), load }, WIDE);
    expect("refused" in body && body.refused.status).toBe(413);
    expect(seen.held).toBe(0);
    expect(seen.most).toBeLessThan(Math.max(MB, bomb.length * 200) + MB / 8);
  });
});
