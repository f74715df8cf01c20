/** Names go by numbers: one for each, whatever text it stands in and however many others there are. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { bytesOf } from "../../../src/core/excerpts/characters.ts";
import { createNameTable, NO_NAME, type NameTable } from "../../../src/core/excerpts/name-table.ts";
import { RUNS } from "../../support/transcripts.ts";

/** The name as it stands in a text, between others. */
function numberIn(table: NameTable, name: string, room = true): number {
  const text = `see ${name}.`;
  return table.numberAt({ text, bytes: bytesOf(text, 0, text.length) }, 4, 4 + name.length, room);
}

/** To the table all that is not ASCII is alike, so that these fill one place of it after the other. */
const alike = fc.string({ unit: fc.constantFrom("é", "文", "件", "数", "据"), minLength: 5, maxLength: 5 });
const names = fc.array(fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), alike), { minLength: 100, maxLength: 400 });

it("gives each name one number, and says it again", () => {
  let [crowd, most] = [0, 0];
  fc.assert(
    fc.property(names, (list) => {
      const table = createNameTable();
      const known = new Map<string, number>();
      for (const name of [...list, ...list.toReversed()]) {
        const number = known.size % 2 === 0 ? numberIn(table, name) : table.numberOf(name, true);
        if (!known.has(name)) known.set(name, known.size);
        expect(number).toBe(known.get(name));
      }
      expect(table.names).toEqual([...known.keys()]);
      crowd = Math.max(crowd, list.filter((name) => name.length === 5 && name > "é").length);
      most = Math.max(most, list.length);
    }),
    { numRuns: RUNS / 5 },
  );
  // More than are looked at for one name, and more than the table begins with.
  expect(crowd).toBeGreaterThan(32);
  expect(most).toBeGreaterThan(64);
});

it("adds nothing where there is no room, and knows what it has", () => {
  const table = createNameTable();
  const crowd = Array.from({ length: 200 }, (_, at) => `${"文件数据é"[at % 5]}${String.fromCharCode(0x4e00 + at)}`);
  for (const name of crowd) numberIn(table, name);
  for (const name of ["orderTotal", "文件"]) {
    expect(numberIn(table, name, false)).toBe(NO_NAME);
    expect(table.numberOf(name, false)).toBe(NO_NAME);
  }
  expect(crowd.map((name) => numberIn(table, name, false))).toEqual([...crowd.keys()]);
  expect(table.names).toEqual(crowd);
});

it("takes names that were made to collide in its stride", () => {
  const table = createNameTable();
  const NAMES = 20_000;
  // A search through all of them for each would take minutes.
  const MS_MAX = 20_000;
  const start = performance.now();
  for (let at = 0; at < NAMES; at++) table.numberOf(String.fromCharCode(0x4e00 + (at % 200), 0x4e00 + at / 200), true);
  expect(table.names).toHaveLength(NAMES);
  expect(performance.now() - start).toBeLessThan(MS_MAX);
});
