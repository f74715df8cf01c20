/** What is quoted around a name ties it, by the same test that the whole reach around it is put to. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { mentionsIn } from "../../../src/core/evidence/mentions.ts";
import { createNameTable } from "../../../src/core/evidence/name-table.ts";
import type { Range } from "../../../src/core/evidence/names.ts";
import { createRunReader, type Runs } from "../../../src/core/evidence/plain-words.ts";
import { ties, windowAround } from "../../../src/core/evidence/windows.ts";
import { wordsOf } from "../../../src/lab/recall/definition.ts";
import { RUNS } from "../../support/transcripts.ts";

const PIECES = [
  "orderTotal",
  "src/pay/refund.ts",
  "4711",
  "the",
  "a",
  "failed",
  "because",
  "account",
  "{",
  "}",
  "=",
  "::",
  "文件错误数据",
  "数据",
  "fé",
  "https://a.io/failed",
];
const text = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(" ", " ", "\n", "\n    ", "   ")), { maxLength: 60 })
  .map((pieces) => pieces.flat().join(""));
const REACH_CHARS = 400;
const TYING_CHARS_MIN = 40;
const TYING_CHARS_BEYOND_ID = 24;
const TYING_STEP_CHARS = 4;

interface Naming {
  readonly within: string;
  readonly id: Range;
  /** Those of all that may tie it. */
  readonly runs: Runs;
}

/** Checks each name of many texts. */
function eachNaming(check: (naming: Naming) => void): void {
  const read = createRunReader();
  fc.assert(
    fc.property(text, (within) => {
      const { starts, ends } = mentionsIn(within, createNameTable());
      for (const [at, start] of starts.entries()) {
        const id = { start, end: ends[at]! };
        const runs = read(within, Math.max(0, start - REACH_CHARS), Math.min(within.length, id.end + REACH_CHARS));
        check({ within, id, runs });
      }
    }),
    { numRuns: RUNS },
  );
}

it("ties the name it was looked for, and where none is found nothing near the name would", () => {
  let [found, missed] = [0, 0];
  eachNaming(({ within, id, runs }) => {
    const window = windowAround(within, id);
    if (window === undefined) missed++;
    else found++;
    expect(ties(within, window ?? { start: 0, end: within.length }, id, runs)).toBe(window !== undefined);
  });
  expect(Math.min(found, missed)).toBeGreaterThan(0);
});

it("ties a name where one of the windows around it holds two words of the definition", () => {
  let [tied, loose] = [0, 0];
  eachNaming(({ within, id, runs }) => {
    const width = Math.max(TYING_CHARS_MIN, id.end - id.start + TYING_CHARS_BEYOND_ID);
    const last = Math.min(id.start, within.length - width);
    let wanted = false;
    for (let from = id.end - width; from <= last; from += TYING_STEP_CHARS)
      if (from >= 0 && wordsOf(within.slice(from, from + width)).size >= 2) wanted = true;
    if (wanted) tied++;
    else loose++;
    expect(ties(within, { start: 0, end: within.length }, id, runs)).toBe(wanted);
  });
  expect(Math.min(tied, loose)).toBeGreaterThan(0);
});
