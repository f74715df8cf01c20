/** Pieces that only their surroundings give away as secrets. */
import { describe, expect, it } from "vitest";
import { revealsKeyBlock, firstBlockIn } from "../../../src/core/excerpts/exposure.ts";
import { redact } from "../../../src/core/redaction/redact.ts";

const safe = (text: string): string => redact(text).text;
const exposesAt = (text: string, start: number, end: number): boolean =>
  revealsKeyBlock({ text, firstBlock: firstBlockIn(text) }, { start, end }, safe);
const exposesPiece = (text: string, piece: string): boolean => {
  const start = text.indexOf(piece);
  return exposesAt(text, start, start + piece.length);
};

describe("a piece of a text", () => {
  const block = [
    "-----BEGIN EC PRIVATE KEY-----",
    "5rLlPAs3MHfwaNJsQuIWYMKgzsn/sfjsy9gaQl+ughPyGUEHZysiKCH9OSXh",
    "6lILX5fl5oUuggPLS4NcvyGgS0AKwhxS1RayU0h3inMw8lpK2ULs7AG+h0CA",
    "-----END EC PRIVATE KEY-----",
  ].join("\n");

  it.each([
    ["export DB_PASSWORD=blue-kettle-49 # for the tests only", "blue-kettle-49 # for the tests", true],
    ["export DB_PASSWORD=blue-kettle-49 # for the tests only", "# for the tests only", false],
    ["the port is 8080 and the host is blue-kettle-49", "the host is blue-kettle-49", false],
    [`read this:\n${block}\nand go on`, "6lILX5fl5oUuggPLS4NcvyGgS0AKwhxS1RayU0h3inMw8lpK2ULs7AG", true],
    [`read this:\n${block}\nand go on`, "and go on", false],
  ])("of %j: %j exposes a secret: %s", (text, piece, answer) => {
    expect(exposesPiece(text, piece)).toBe(answer);
  });

  it("that is the whole text is left to whoever writes it", () => {
    const text = "export DB_PASSWORD=blue-kettle-49";
    expect(exposesAt(text, 0, text.length)).toBe(false);
  });

  it("costs no more far into a long line", () => {
    const text = `password=blue-kettle-49 ${"word ".repeat(200_000)}`;
    expect(exposesPiece(text, "blue-kettle-49 word")).toBe(true);
    expect(exposesAt(text, 900_000, 900_020)).toBe(false);
  });
});
