/** Events with their own text: nothing is lost or changed, however a stream is cut and whatever ends its lines. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reframed, splitFrames, type Frame } from "../../../src/protocols/answers/frames.ts";
import { RUNS } from "../../support/transcripts.ts";

const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const line = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, "")}`),
  fc.constantFrom("event: ping", ": a comment", "id: 7", "data:{}", "retry: 3", "data"),
);
const stream = fc
  .array(fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), lineEnd), { maxLength: 8 })
  .map((events) => events.map(([lines, end]) => `${lines.join(end)}${end}${end}`).join(""));

function split(text: string, size: number, charsMax = 1e6): readonly (Frame | string)[] {
  const splitter = splitFrames(charsMax);
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return [...pieces.flatMap((piece) => [...splitter.push(piece)]), ...splitter.end()];
}

const rawOf = (found: readonly (Frame | string)[]): string =>
  found.map((one) => (typeof one === "string" ? one : one.raw)).join("");

describe("a stream of events", () => {
  it("comes out as it went in, cut anywhere", () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 3, max: 200 }), (text, size, charsMax) => {
        expect(rawOf(split(text, size))).toBe(text);
        expect(rawOf(split(text, size, charsMax))).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it("has the same events, cut anywhere", () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 50 }), (text, size) => {
        const told = (found: readonly (Frame | string)[]) =>
          found.flatMap((one) =>
            typeof one === "string" || one.data === "" ? [] : { name: one.name, data: one.data },
          );
        expect(told(split(text, size))).toEqual(told(split(text, text.length * 4 + 1)));
      }),
      { numRuns: RUNS },
    );
  });

  it("reads names and data, and writes them", () => {
    const [one, two] = split("event: a\ndata: 1\ndata: 2\n\n: c\r\n\r\n", 3);
    expect(one).toMatchObject({ name: "a", data: "1\n2" });
    expect(two).toMatchObject({ data: "" });
    expect(reframed({ name: "a" }, "1\n2")).toBe("event: a\ndata: 1\ndata: 2\n\n");
  });

  it("passes an event on in pieces that is too large to be kept, and reads the next one", () => {
    const text = `data: ${"x".repeat(10_000)}\n\ndata: {"next":1}\n\n`;
    const found = split(text, 100, 500);
    expect(rawOf(found)).toBe(text);
    expect(found.filter((one) => typeof one !== "string")).toMatchObject([{ data: '{"next":1}' }]);
  });
});
