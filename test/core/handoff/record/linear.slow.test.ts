/** What the record reads of a message costs no more on a text made to trip a pattern than on ordinary text. */
import { describe, expect, test } from "vitest";
import { errorLinesIn } from "../../../../src/core/excerpts/error-lines.ts";
import { shapeOf } from "../../../../src/core/excerpts/error-lines.ts";
import { passageAround } from "../../../../src/core/excerpts/passages.ts";
import { condensable } from "../../../../src/core/handoff/record/condense.ts";
import { unitsOf } from "../../../../src/core/handoff/record/units.ts";
import { argumentsWithin, createKnownThings, thingText } from "../../../../src/core/handoff/record/effects.ts";
import { writtenUnits } from "../../../../src/core/handoff/record/edited-lines.ts";
import { processorMs } from "../../../support/linear.ts";

const CHARS = 200_000;
/** Ordinary text takes a tenth of this; a quadratic pattern takes a hundred times as long. */
const TIME_MAX_MS = 1_000;
const PLACES = 200;
/** A text that is read from its beginning to its end. */
const READ_WHOLE_CHARS = 39_000;

const UNITS = [
  "a",
  "A",
  "1",
  "9 ",
  " ",
  "\t",
  "\n",
  "/",
  "a/",
  "a.",
  ". ",
  ".) ",
  "A. ",
  "。",
  "错",
  "(",
  "[",
  "]",
  "[{",
  "{}",
  '"',
  '":',
  '"a":1,',
  "'",
  "`",
  "_",
  "a_",
  "-",
  "- ",
  "- a\n",
  "- a b\n",
  "1. ",
  "# ",
  "```\n",
  "= ",
  "=1,",
  ": ",
  "a: ",
  ":\n- a\n",
  "+ a\n",
  "@@ ",
  "e.g. ",
  "error: ",
  "expected ",
  "a.ts:1: want ",
  "E  ",
  "export ",
  "pub(a) ",
  "here is ",
  "let me ",
] as const;
/** What is around the repeated characters, so that a pattern reads them all before it fails. */
const AROUND = [
  ["", ""],
  ["A", "x"],
  ['"a": "', "x"],
] as const;
const CASES = UNITS.flatMap((unit) => AROUND.map(([start, end]) => [unit, start, end] as const));

describe.each(CASES)("two hundred thousand characters of %j between %j and %j", (unit, start, end) => {
  const text = `${start}${unit.repeat(Math.ceil(CHARS / unit.length))}${end}`;
  const within = (work: () => unknown): void => {
    expect(processorMs(work)).toBeLessThan(TIME_MAX_MS);
  };

  test("are taken apart and shortened in no time", () => {
    within(() => {
      for (const read of [text, `${text.slice(0, READ_WHOLE_CHARS)}${end}`]) {
        const body = condensable(unitsOf(read));
        for (const chars of [100, 1_000, 10_000]) body.within(chars);
      }
    });
  });

  test("are told in no time as what a call was given and wrote", () => {
    const calls = [{ content: text }, { old_string: text, new_string: `${text}b` }, { patch: `@@ -1 +1 @@\n+${text}` }];
    within(() => {
      for (const [at, given] of calls.entries()) {
        const raw = JSON.stringify(given).slice(0, 59_000);
        for (const call of [raw, JSON.stringify({ content: text.slice(0, 40_000) })])
          condensable(
            writtenUnits({ kind: "tool-call", id: `c${at}`, name: "Edit", arguments: call }, (own) => own),
          ).within(500);
        argumentsWithin(JSON.stringify(given))(500);
      }
      argumentsWithin(text)(500);
    });
  });

  test("are read in no time as a result", () => {
    within(() => {
      createKnownThings().changesIn(`{"id":1,"a":${JSON.stringify(text.slice(0, 30_000))}}`);
      createKnownThings().changesIn(`{${text}`);
      thingText(`{${text.slice(0, 1_400)}`);
      errorLinesIn(text, undefined);
      errorLinesIn(`error: ${text}\n${text} failed`, undefined);
      shapeOf(text.slice(0, 400));
      for (let place = 0; place < PLACES; place++) {
        const at = Math.floor((text.length / PLACES) * place);
        passageAround(text, { start: at, end: at + 1 });
      }
    });
  });
});
