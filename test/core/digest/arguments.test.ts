import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isMarker, shrinkJsonStrings } from "../../../src/core/passes/shrink-arguments.ts";
import { anyText } from "../../support/turns.ts";
import { expectLinear } from "../../support/linear.ts";

const options = { recall: "r0123456ab" };
const long = fc
  .tuple(anyText, fc.integer({ min: 0, max: 900 }))
  .map(([text, times]) => text.repeat(times).slice(0, 30_000));
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(long, anyText),
    fc.double({ noNaN: true }),
    fc.constant(null),
    fc.boolean(),
    fc.array(tie("node"), { maxLength: 4 }),
    fc.dictionary(anyText, tie("node"), { maxKeys: 4 }),
  ),
})).node;

/** Both values alike, but for the strings that became markers. */
function alike(before: unknown, after: unknown): boolean {
  if (typeof after === "string" && isMarker(after)) return typeof before === "string" && before.length > 40;
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null)
    return Object.is(before, after);
  const keys = Object.keys(before);
  return (
    keys.join("\u0000") === Object.keys(after).join("\u0000") &&
    keys.every((key) => alike(Reflect.get(before, key), Reflect.get(after, key)))
  );
}

describe("shrinkJsonStrings", () => {
  test("gives shorter JSON that differs only in long strings, and has nothing more to do the second time", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), fc.constantFrom(40, 200), (args, space, keepChars) => {
        const text = JSON.stringify(args, null, space);
        const shrunk = shrinkJsonStrings(text, { ...options, keepChars });
        if (shrunk === undefined) return;
        expect(shrunk.length).toBeLessThan(text.length);
        expect(alike(JSON.parse(text), JSON.parse(shrunk))).toBe(true);
        expect(shrinkJsonStrings(shrunk, { ...options, keepChars })).toBeUndefined();
      }),
    );
  });

  test("keeps every other byte: big integers, key order, escapes, white space", () => {
    const text = `{ "z" : 12345678901234567890 ,\n "path":"a\\u002fb.ts", "content": ${JSON.stringify("first line\nsecond".padEnd(900, "x"))}, "n": 1.0e+2 }`;
    const shrunk = shrinkJsonStrings(text, options)!;
    expect(shrunk).toMatch(
      /^\{ "z" : 12345678901234567890 ,\n "path":"a\\u002fb\.ts", "content": "⟪precis: 900 characters left out here; recall r0123456ab; first line: first line⟫", "n": 1\.0e\+2 \}$/,
    );
  });

  test("leaves long keys, short strings and text that is no JSON alone", () => {
    expect(shrinkJsonStrings(JSON.stringify({ ["k".repeat(500)]: 1 }), options)).toBeUndefined();
    expect(shrinkJsonStrings(JSON.stringify({ a: "x".repeat(150), b: "y".repeat(150) }), options)).toBeUndefined();
    expect(shrinkJsonStrings(`{"content": "${"x".repeat(500)}`, options)).toBeUndefined();
    expect(shrinkJsonStrings("*** Begin Patch\n".repeat(50), options)).toBeUndefined();
  });

  test("is linear in a string of escaped quotes and backslashes", () => {
    expectLinear(300_000, (times) => {
      const text = JSON.stringify({ a: '\\"'.repeat(times), b: "\\".repeat(times) });
      return () => expect(shrinkJsonStrings(text, options)!.length).toBeLessThan(500);
    });
  });
});
