/** What somebody else wrote moves no cursor of ours. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { visible, visibleLine } from "../../src/cli/visible.ts";

it("leaves no control and no mark that reorders text, and loses nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(visible(text)).not.toMatch(/(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      expect(visibleLine(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
  expect(visible("plain – 名前 ä\n\tnext")).toBe("plain – 名前 ä\n\tnext");
  expect(visible("a\u001b[2Jb\u202ec")).toBe("a\\u{1b}[2Jb\\u{202e}c");
});
