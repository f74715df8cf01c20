/** Names go by numbers: one for each, whatever text it is in and however many others there are. */
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createNameTable, NO_NAME } from "../../../src/core/excerpts/name-table.ts";
import { RUNS } from "../../support/transcripts.ts";

const wide = fc.string({ unit: fc.constantFrom("é", "文", "件", "数", "据"), minLength: 5, maxLength: 5 });
const names = fc.array(fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), wide), { minLength: 100, maxLength: 400 });

it("gives each name one number, and says it again", () => {
  fc.assert(
    fc.property(names, (list) => {
      const table = createNameTable();
      const known = new Map<string, number>();
      for (const name of [...list, ...list.toReversed()]) {
        const number = table.numberOf(name, true);
        if (!known.has(name)) known.set(name, known.size);
        expect(number).toBe(known.get(name));
      }
      expect(table.names).toEqual([...known.keys()]);
    }),
    { numRuns: RUNS / 5 },
  );
});

it("adds nothing where there is no room, and knows what it has", () => {
  const table = createNameTable();
  const crowd = Array.from({ length: 200 }, (_, at) => `${"文件数据é"[at % 5]}${String.fromCharCode(0x4e00 + at)}`);
  for (const name of crowd) table.numberOf(name, true);
  for (const name of ["orderTotal", "文件"]) expect(table.numberOf(name, false)).toBe(NO_NAME);
  expect(crowd.map((name) => table.numberOf(name, false))).toEqual([...crowd.keys()]);
  expect(table.names).toEqual(crowd);
});
