/** What of a conversation's pictures has to go, so that a provider takes the rest. */
import { describe, expect, it } from "vitest";
import { imageSide, mediaBeyond, type MediaLimits } from "../../src/protocols/media-limits.ts";
import { textMessage, type ImagePart, type Message, mediaIn } from "../../src/core/transcript/message.ts";
import { gif, jpeg, png, webp } from "../support/pictures.ts";

const LIMITS: MediaLimits = {
  bodyBytes: 100_000,
  images: 40,
  imageSide: 8_000,
  manyImages: 20,
  manyImageSide: 2_000,
};

const image = (data: string, mediaType = "image/png"): ImagePart => ({
  kind: "image",
  source: { type: "data", mediaType, data },
});

/** A picture a turn, and what is asked about the last. */
function shown(pictures: readonly string[]): readonly Message[] {
  return pictures.flatMap((data, at): readonly Message[] => [
    { role: "user", parts: [{ kind: "text", text: `Look at ${at}.` }, image(data)] },
    textMessage("assistant", "I see."),
  ]);
}

/** Numbers of the pictures that leave. */
function leaving(messages: readonly Message[], limits: Partial<MediaLimits> = {}, kept: readonly number[] = []) {
  const all = messages.flatMap(mediaIn);
  const beyond = mediaBeyond({ system: [], messages }, { ...LIMITS, ...limits }, (at) => kept.includes(at));
  return all.flatMap((part, at) => (beyond.has(part) ? at : []));
}

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);

describe("the side of a picture", () => {
  it.each([
    ["PNG", png(2_400, 30)],
    ["JPEG", jpeg(30, 2_400)],
    ["JPEG behind a large preview", jpeg(2_400, 30, 60_000)],
    ["GIF", gif(30, 2_400)],
    ["lossy WebP", webp(2_400, 30, "VP8 ")],
    ["lossless WebP", webp(30, 2_400, "VP8L")],
    ["extended WebP", webp(2_400, 30, "VP8X")],
  ])("is read from a %s", (_, data) => {
    expect(imageSide(image(data))).toBe(2_400);
  });

  it.each([["no picture"], ["%%%"], [""], [png(2_400, 30).slice(0, 20)]])(
    "is 0 where the file does not say: %s",
    (data) => {
      expect(imageSide(image(data))).toBe(0);
      expect(imageSide({ kind: "image", source: { type: "url", url: "https://a.example/b.png" } })).toBe(0);
    },
  );
});

describe("what leaves", () => {
  const small = png(800, 600);
  const wide = png(2_400, 600);

  it("is nothing within the limits", () => {
    expect(leaving(shown(Array<string>(40).fill(small)))).toEqual([]);
    expect(leaving(shown([...Array<string>(19).fill(small), wide]))).toEqual([]);
  });

  it("is a picture that is too wide beside so many", () => {
    expect(leaving(shown([...Array<string>(5).fill(small), wide, ...Array<string>(20).fill(small)]))).toEqual([5]);
  });

  it("is the oldest half where the wide one is what the model is to look at now", () => {
    const messages = shown([...Array<string>(25).fill(small), wide]).slice(0, -1);
    expect(leaving(messages)).toEqual(numbers(0, 16));
  });

  it("is the wide one as well where everything is new", () => {
    const parts = [...Array<string>(25).fill(small), wide].map((data) => image(data));
    expect(leaving([{ role: "user", parts }])).toEqual([25]);
  });

  it("is a picture that is too large alone", () => {
    expect(leaving(shown([small, png(9_000, 10), small]))).toEqual([1]);
  });

  it("is the oldest of too many, with room for those that follow", () => {
    expect(leaving(shown(Array<string>(45).fill(small)))).toEqual(numbers(0, 25));
  });

  it("is the oldest of too many bytes, but never more of the newest than has to be", () => {
    const heavy = png(800, 600, 15_000);
    expect(leaving(shown(Array<string>(6).fill(heavy)))).toEqual([0, 1, 2, 3]);
    const parts = Array.from({ length: 6 }, () => image(heavy));
    expect(leaving([{ role: "user", parts }])).toEqual([0, 1]);
  });

  it("is never part of a message that is to stay", () => {
    const messages = shown([png(9_000, 10), png(9_000, 10)]);
    expect(leaving(messages, {}, [0])).toEqual([1]);
  });

  it("counts a message by what it holds now, and not by what it came from", () => {
    const heavy = png(800, 600, 90_000);
    const [came] = shown([heavy]);
    const wire = { protocol: "x", raw: JSON.stringify(came), members: [{ role: "user", parts: came!.parts }] } as const;
    const lighter: Message = { ...came!, parts: came!.parts.slice(0, 1), wire };
    expect(leaving([lighter, ...shown([small])])).toEqual([]);
    expect(leaving([{ ...came!, wire }, ...shown([small])])).toEqual([0]);
  });
});
