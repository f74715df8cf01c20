/** Scanning and editing JSON as text agrees with parsing it, in any layout, and costs no more than its length. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  arraySource,
  newPiece,
  composeArray,
  patchObject,
  patchPath,
  elementTexts,
  memberText,
  membersOf,
  skipSpace,
  skipValue,
} from "../../src/protocols/json.ts";
import { JSON_LAYOUTS, printJson, type JsonLike } from "../support/json-text.ts";
import { createRandom } from "../support/random.ts";
import { RUNS } from "../support/transcripts.ts";
import { anyText } from "../support/turns.ts";

const values = fc.letrec<{ value: JsonLike }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    anyText,
    fc.constantFrom(null, true, -1.5e-7, 12345678901234567890n, "\\", '\\"'),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom("a", "b", "__proto__", 'q"\\'), anyText), tie("value"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;

const printed = (value: fc.Arbitrary<JsonLike>): fc.Arbitrary<string> =>
  fc
    .tuple(value, fc.constantFrom(...JSON_LAYOUTS), fc.integer())
    .map(([one, layout, seed]) => printJson(one, layout, createRandom(seed)));

const objects = fc.dictionary(fc.constantFrom("a", "b", "c", "long key"), values, {
  maxKeys: 4,
  noNullPrototype: true,
});

describe("scanning", () => {
  test("a value ends where it ends, whatever follows", () => {
    fc.assert(
      fc.property(printed(values), fc.constantFrom("", ",", "]", "}", " ,1", "\n]"), (text, rest) => {
        const value = text.trim();
        expect(skipValue(value + rest, 0)).toBe(value.length);
      }),
      { numRuns: RUNS },
    );
  });

  test("the texts of elements and members are those of their values", () => {
    fc.assert(
      fc.property(printed(fc.array(values)), printed(objects), (array, object) => {
        expect(elementTexts(array).map((text) => JSON.parse(text) as unknown)).toEqual(JSON.parse(array));
        const members = membersOf(object, skipSpace(object, 0)).map(({ key, start, end }) => [
          key,
          JSON.parse(object.slice(start, end)) as unknown,
        ]);
        expect(Object.fromEntries(members)).toEqual(JSON.parse(object));
      }),
      { numRuns: RUNS },
    );
  });

  test("the last of repeated keys counts", () => {
    expect(memberText('{"a":1,"\\u0061":2}', "a")).toBe("2");
  });
});

describe("editing", () => {
  test("members are replaced, added and removed, and nothing else changes", () => {
    fc.assert(
      fc.property(
        printed(objects),
        fc.dictionary(fc.constantFrom("a", "b", "new"), fc.option(fc.nat(), { nil: undefined }), {
          noNullPrototype: true,
        }),
        (text, changes) => {
          const written = Object.fromEntries(
            Object.entries(changes).map(([key, value]) => [key, value === undefined ? undefined : String(value)]),
          );
          const before = JSON.parse(text) as Record<string, unknown>;
          const expected = Object.fromEntries(
            Object.entries({ ...before, ...changes }).filter(([, value]) => value !== undefined),
          );
          const result = patchObject(text, written);
          expect(JSON.parse(result)).toEqual(expected);
          for (const key of Object.keys(before)) if (!(key in changes)) expect(result).toContain(memberText(text, key));
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("a value deep inside is replaced where it stands", () => {
    expect(patchPath('{ "a" : { "b" : 1 , "c":2 } }', ["a", "b"], "9")).toBe('{ "a" : { "b" : 9 , "c":2 } }');
    expect(patchPath('{"a":{}}', ["x", "y"], "1")).toBe('{"a":{}}');
  });

  test("an array is composed of old and new elements", () => {
    fc.assert(
      fc.property(printed(fc.array(values, { maxLength: 6 })), fc.array(fc.nat(7), { maxLength: 6 }), (text, picks) => {
        const source = arraySource(text.trim());
        const total = source.elements.length;
        const pieces = picks.map((pick) => (pick < total ? { first: pick, count: 1 } : newPiece("0")));
        const old = JSON.parse(text) as unknown[];
        expect(JSON.parse(composeArray(source, pieces))).toEqual(picks.map((pick) => (pick < total ? old[pick] : 0)));
        const all = Array.from({ length: total }, (_, first) => ({ first, count: 1 }));
        expect(composeArray(source, all)).toBe(source.text);
      }),
      { numRuns: RUNS },
    );
  });
});
