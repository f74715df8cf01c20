/** Nothing here may cost more on a text without line breaks, or on one made to trip a pattern, than on ordinary text. */
import { describe, expect, test } from "vitest";
import { describeCall } from "../../../src/core/digest/call.ts";
import { digestResult } from "../../../src/core/digest/digest.ts";
import { outcomeOf } from "../../../src/core/digest/outcome.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { processorMs } from "../../support/linear.ts";

const tokens = createMeasure().text;
const CHARS = 200_000;
/** Ordinary text takes a hundredth of this; a quadratic pattern takes a hundred times as long. */
const TIME_MAX_MS = 1_000;

const UNITS = [
  "a",
  " ",
  "\t",
  "\n",
  "/",
  "a/",
  ".",
  ": ",
  "(",
  "[",
  '"',
  "\\",
  "#",
  "**",
  "|",
  "= ",
  "1 ",
  "A",
  "错",
  "× ",
  "● ",
  "> ",
  " - ",
  "1 passed, ",
  "not ok 1 - ",
  "--- FAIL: ",
  "a b c() { ",
  "error: ",
  'File "',
  "](http",
];
const CALLS = [
  ["Bash", { command: "npm test" }],
  ["Bash", { command: "make build" }],
  ["Read", { file_path: "a.ts" }],
  ["Read", { file_path: "a.csv" }],
  ["Grep", { pattern: "x" }],
  ["WebFetch", { url: "https://x.org" }],
] as const;

describe.each(UNITS)("two hundred thousand characters of %j", (unit) => {
  const line = unit.repeat(CHARS / unit.length);

  test("are read and digested in no time", () => {
    const ms = processorMs(() => {
      for (const text of [line, `1 failed\n${line}\n1 failed`]) {
        outcomeOf(text);
        for (const [tool, args] of CALLS)
          digestResult({
            text,
            call: describeCall(tool, JSON.stringify(args)),
            focus: ["alpha", "error"],
            recall: "r1",
            tokens,
          });
      }
    });
    expect(ms).toBeLessThan(TIME_MAX_MS * CALLS.length);
  });

  test("are described in no time as a command", () => {
    const ms = processorMs(() => {
      describeCall("Bash", JSON.stringify({ command: line }));
      describeCall("apply_patch", line);
    });
    expect(ms).toBeLessThan(TIME_MAX_MS);
  });
});
