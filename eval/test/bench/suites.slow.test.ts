/** The suites as they are installed, with a compactor that keeps all and one that keeps nothing. */
import { describe, expect, it } from "vitest";
import type { Field } from "../../src/bench/compactors.ts";
import { measureAll } from "../../src/bench/measures.ts";
import { installedSuites } from "../../src/bench/suites.ts";

describe("the suites", () => {
  const interpreter = installedSuites();

  it.skipIf(interpreter === undefined)(
    "count what a compactor holds that keeps all, and one that keeps nothing",
    async () => {
      const field: Field = {
        compactors: [
          { name: "all", from: "here", how: "", compact: async (messages) => messages },
          { name: "nothing", from: "here", how: "", compact: async () => [] },
        ],
        absent: [],
        isValid: (after) => after.length > 0,
      };
      const measures = await measureAll({ field, interpreter: interpreter!, onStep: () => undefined });
      expect(measures.length).toBeGreaterThan(7);
      for (const { title, rows } of measures) {
        const [all, nothing] = ["all", "nothing"].map((name) => rows.find((row) => row.name === name)!);
        // With all of it there, the value that was replaced is there too.
        expect([title, all!.held]).toEqual([title, title.startsWith("Newest value alone") ? 0 : all!.of]);
        expect([title, nothing!.held]).toEqual([title, 0]);
      }
    },
    240_000,
  );
});
