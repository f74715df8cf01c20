import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PrecisError } from "../../src/core/errors.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { LOG_FORMATS } from "../../src/logs/log.ts";
import { readLog } from "../../src/logs/read.ts";
import { readLines } from "../../src/logs/lines.ts";
import { RUNS } from "../support/transcripts.ts";
import { expectLinear } from "../support/linear.ts";

const MEGA = 1_000_000;

describe("lines as they are found on disk", () => {
  it("reads what can be read and notes the rest with its line", () => {
    const text = ['\uFEFF{"a":1}\r', "", '{"a":', '\u0000\u0000{"b":"}{"}', '{"c":1}{"d":"\\"}"} {"e"', "17"].join(
      "\n",
    );
    const { lines, notes } = readLines(text);
    expect(lines).toEqual([
      { at: 1, record: { a: 1 } },
      { at: 4, record: { b: "}{" } },
      { at: 5, record: { c: 1 } },
      { at: 5, record: { d: '"}' } },
    ]);
    expect(notes.map(({ code, line }) => [code, line])).toEqual([
      ["corrupt_line", 3],
      ["glued_line", 5],
      ["corrupt_line", 5],
      ["corrupt_line", 6],
    ]);
  });

  it("finds every record, however records are glued", () => {
    const records = fc.array(fc.record({ text: fc.string(), nested: fc.record({ list: fc.array(fc.string()) }) }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(records, fc.array(fc.constantFrom("", "\n", " ", "\r\n")), (values, glue) => {
        const text = values.map((value, at) => JSON.stringify(value) + (glue[at] ?? "\n")).join("");
        expect(readLines(text).lines.map(({ record }) => record)).toEqual(values);
      }),
      { numRuns: RUNS },
    );
  });

  it("reads the whole record behind one that was cut off, wherever it was cut", () => {
    const first = {
      id: "a",
      n: 12.5,
      ok: true,
      list: [{ x: 'a {"b": 1} c' }, "\\", null],
      last: { y: "{", "z z": [] },
    };
    const next = { id: "b", said: 'ends in } and "{" and \\', nested: { list: [{}] } };
    const whole = JSON.stringify(first);
    // Behind a colon, or within a list, the next record could be a part of the first, which then has no end.
    const within = (cut: string): boolean => /[:[]$/.test(cut) || /"list":\[[^\]]*$/.test(cut);
    const cuts = Array.from({ length: whole.length - 1 }, (_, at) => whole.slice(0, at + 1)).filter(
      (cut) => !within(cut),
    );
    for (const cut of cuts) {
      const { lines, notes } = readLines(`${cut}${JSON.stringify(next)}\n{"id":"c"}`);
      expect([cut, lines]).toEqual([
        cut,
        [
          { at: 1, record: next },
          { at: 2, record: { id: "c" } },
        ],
      ]);
      expect(notes.map(({ code, line }) => [code, line])).toEqual([["corrupt_line", 1]]);
    }
  });

  it("reads records behind words, and takes no piece of a broken record for one", () => {
    const read = (line: string): readonly unknown[] => readLines(line).lines.map(({ record }) => record);
    expect(read('Saving session… {"a":{"b":1}}')).toEqual([{ a: { b: 1 } }]);
    expect(read('Saving {session} "now": {"a":1}{"b":2}')).toEqual([{ a: 1 }, { b: 2 }]);
    expect(read('{"a":"un"quoted {"b":1} and more"}')).toEqual([]);
    expect(read('{"a":{"b":1},"c":{"d":2}')).toEqual([]);
  });

  it("takes a million characters without an end in its stride", () => {
    expectLinear(MEGA, (chars) => () => {
      for (const line of [
        '{"a":"' + "x".repeat(chars),
        "{".repeat(chars),
        '"'.repeat(chars),
        "9".repeat(chars),
        '{"a'.repeat(chars / 3),
        '{ "a":1}x'.repeat(chars / 9),
      ])
        readLines(line);
    });
  });
});

describe("any text as a session file", () => {
  const scalars = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.boolean());
  const keys = fc.constantFrom(
    ..."type role content message uuid parentUuid payload id parentId toolCalls result parts text summary firstKeptEntryId operation attachment compactMetadata replacement_history call_id name arguments".split(
      " ",
    ),
  );
  const values = fc.constantFrom<unknown>(
    "user",
    "assistant",
    "message",
    "response_item",
    "compacted",
    "compaction",
    "session",
    "gemini",
    "tool_use",
    "tool_result",
    "toolResult",
    "attachment",
    "u1",
    "u2",
    null,
    3,
    [],
    {},
  );
  const records = fc.dictionary(
    keys,
    fc.oneof(values, scalars, fc.dictionary(keys, fc.oneof(values, fc.array(fc.dictionary(keys, values))))),
    { maxKeys: 8 },
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(records).map((list) => list.map((one) => JSON.stringify(one)).join("\n")),
    fc.array(records).map((list) => JSON.stringify({ projectHash: "h", messages: list })),
  );

  it.each(LOG_FORMATS)("%s: is read into something valid, or refused with a reason", (format) => {
    fc.assert(
      fc.property(texts, fc.constantFrom("live", "all"), (text, history) => {
        const outcome = attempt(() => violationsOf(readLog(text, format, { history }).transcript));
        expect([[], "unreadable_input"]).toContainEqual(outcome);
      }),
      { numRuns: RUNS },
    );
  });
});

/** The value, or the code of a refusal; any other failure is one. */
function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof PrecisError) return error.code;
    throw error;
  }
}
