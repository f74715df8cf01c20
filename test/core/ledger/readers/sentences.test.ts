import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyOf, sentencesOf } from "../../../../src/core/ledger/readers/sentences.ts";
import { RUNS } from "../../../support/transcripts.ts";
import { anyText } from "../../../support/turns.ts";

describe("sentences", () => {
  it("are verbatim parts of the text, in order, whatever the text", () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 6 }), (texts) => {
        const text = texts.join("\n");
        let from = 0;
        for (const sentence of sentencesOf(text)) {
          const at = text.indexOf(sentence, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + sentence.length;
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("end at full stops of any script, but not inside abbreviations and numbers", () => {
    expect(sentencesOf("Use e.g. version 1.2.3. It works! Really?")).toEqual([
      "Use e.g. version 1.2.3.",
      "It works!",
      "Really?",
    ]);
    expect(sentencesOf("不要改。请用中文！")).toEqual(["不要改。", "请用中文！"]);
  });

  it("leave bullets and numbers behind", () => {
    expect(sentencesOf("- one thing\n2. another thing\n- [ ] a third thing")).toEqual([
      "one thing",
      "another thing",
      "a third thing",
    ]);
  });

  it("have one key however they are written", () => {
    expect(keyOf("Never commit to MAIN!")).toBe(keyOf("never  commit to `main`."));
    expect(keyOf("!!!")).toBe("!!!");
  });

  it("have keys of letters and digits, of every script", () => {
    const CODE_UNITS = 0x10000;
    const texts = Array.from({ length: CODE_UNITS }, (_, code) => `A${String.fromCharCode(code)}b`);
    const plain = (text: string): string =>
      text
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim();
    expect(texts.filter((text) => keyOf(text) !== plain(text))).toEqual([]);
  });
});
