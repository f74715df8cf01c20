/** The scanner finds what the written definition finds, everywhere, and never loses time over it. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineReader } from "../../../src/core/excerpts/mentions.ts";
import { identifiersIn, mentionsIn } from "../../../src/core/excerpts/mentions.ts";
import { createNameTable } from "../../../src/core/excerpts/name-table.ts";
import { createReader } from "../../../src/lab/recall/reader.ts";
import { identifiersOf, type ChatMessage } from "../../../src/lab/recall/definition.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../support/corpus.ts";
import { RUNS } from "../../support/transcripts.ts";
import { namings } from "./namings.ts";

const sorted = (ids: Iterable<string>): readonly string[] => [...ids].toSorted();

describe("mentions", () => {
  const table = createNameTable();

  it("are the identifiers of the definition, on any text", () => {
    fc.assert(
      fc.property(namings, (text) => {
        expect(sorted(identifiersIn(text))).toEqual(sorted(identifiersOf(text)));
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it("stand where they say, in order, each with its identifier", () => {
    fc.assert(
      fc.property(namings, (text) => {
        const { names, kinds, which, starts, ends } = mentionsIn(text, table);
        for (let at = 0; at < which.length; at++) {
          const id = table.names[names[which[at]!]!]!;
          const written = text.slice(starts[at]!, ends[at]!);
          // `a//b` and `a/./b` are the file a/b.
          const isPath = kinds[which[at]!] === "path";
          expect(isPath ? written.replace(/\/(?:(?:\.{0,2}|~)\/)+/g, "/") : written).toBe(id);
          if (at > 0) expect(starts[at]!).toBeGreaterThanOrEqual(starts[at - 1]!);
        }
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it("are those of its lines, however often some of these were read before", () => {
    const read = createLineReader(table);
    fc.assert(
      fc.property(fc.array(namings, { maxLength: 4 }), (texts) => {
        const text = [...texts, ...texts].join("\n");
        const heard: (readonly [number, number, number])[] = [];
        read(text, (...mention) => heard.push(mention));
        const { names, which, starts, ends } = mentionsIn(text, table);
        expect(heard).toEqual(which.map((index, at) => [names[index], starts[at], ends[at]]));
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it("are found when more lines were read than are remembered", () => {
    const LINES = 2_500;
    const text = Array.from({ length: LINES }, (_, at) => `see name_${at}_end`).join("\n");
    const read = createLineReader(table);
    for (let round = 0; round < 2; round++) {
      const heard: string[] = [];
      read(text, (name) => heard.push(table.names[name]!));
      expect(heard).toEqual(identifiersIn(text));
    }
  });

  it.each([
    ["src/core/excerpts/mentions.ts", ["excerpts/mentions.ts"], "a path goes by its last two components"],
    ["read ./a/b.", [], "two components need an extension"],
    ["HTTPServer", [], "an abbreviation is no name"],
    ["in 2024 port 8080", ["8080"], "a year says too little"],
    ["see https://a.io/b.", ["https://a.io/b"], "the full stop belongs to the sentence"],
    ["at deadbeef1 and feedface", ["deadbeef1"], "a hash holds a digit"],
    ["see https://a.io/b\u00a0c", ["https://a.io/b"], "any white space ends a URL"],
    ["see http://", [], "a URL says something behind its slashes"],
    ["in a/𝒳.ts", ["a/𝒳.ts"], "a pair of surrogates is a letter"],
    ["in a/𝒳.t", [], "a pair of surrogates is one letter"],
    ["文件src/a.ts", ["文件src/a.ts"], "letters of any script are letters of a path"],
  ])("%s → %j: %s", (text, ids) => {
    expect(identifiersIn(text)).toEqual(ids);
  });

  it("counts the first five thousand names of a text, each as often as it stands", () => {
    const NAMES_MAX = 5_000;
    const names = Array.from({ length: NAMES_MAX + 100 }, (_, at) => `name_${at}_end`);
    const own = createNameTable();
    // That another text named it makes no room for it here.
    const last = names.at(-1)!;
    mentionsIn(last, own);
    const { which } = mentionsIn([...names, names[0], last].join(" "), own);
    expect(own.names).toEqual([last, ...names.slice(0, NAMES_MAX)]);
    expect(which).toEqual([...names.slice(0, NAMES_MAX).keys(), 0]);
  });

  it.each(["x", "a/", "/~", "_", "a_", "../", "1.", "http://", "aB", "→", "é"])(
    "takes an endless line of %j in its stride",
    (part) => {
      const CHARS = 1_000_000;
      // A walk that went back over the line for each of its characters would take hours.
      const MS_MAX = 20_000;
      const start = performance.now();
      identifiersIn(part.repeat(CHARS / part.length));
      expect(performance.now() - start).toBeLessThan(MS_MAX);
    },
  );
});

describeCorpus("mentions over the corpus", () => {
  // The patterns that it is held against are slow: `npm test` reads every third transcript, `npm run test:full` all.
  const every = RUNS > 500 ? 1 : 3;
  it.each(corpusFiles("openai").filter((_, at) => at % every === 0))("%s", (file) => {
    const reader = createReader();
    for (const message of JSON.parse(corpusText(file)) as readonly ChatMessage[])
      expect(sorted(identifiersIn(reader.text(message)))).toEqual(sorted(reader.identifiers(message)));
  });
});
