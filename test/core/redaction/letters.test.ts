/** Letters in a row: what a text has is never denied, whatever stands around it and however it is written. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lettersOf } from "../../../src/core/redaction/letters.ts";
import { RUNS } from "../../support/cases.ts";

describe("letters of a text", () => {
  it("never deny a word that is in it, in capitals or small letters", () => {
    const word = fc.string({ minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(fc.string(), word, fc.string(), fc.boolean(), (before, own, after, isLoud) => {
        const text = `${before}${isLoud ? own.toUpperCase() : own}${after}`;
        fc.pre(text.toLowerCase().includes(own.toLowerCase()));
        expect(lettersOf(text).mayHave(own)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("deny a word of which three letters are missing", () => {
    const { mayHave } = lettersOf("the key of the machine");
    expect(["password", "token", "machines"].filter(mayHave)).toEqual([]);
    expect(["key", "machine", "the key"].filter(mayHave)).toHaveLength(3);
  });

  it("know nothing more once another text was read", () => {
    const first = lettersOf("nothing");
    lettersOf("a password");
    expect(first.mayHave("token")).toBe(true);
  });

  it("tell letters beyond ASCII from signs", () => {
    expect(lettersOf("密码").hasWide).toBe(true);
    expect(lettersOf("contraseña").hasWide).toBe(true);
    expect(lettersOf("a → b ─── ✓ 🙂 © 5").hasWide).toBe(false);
  });
});
