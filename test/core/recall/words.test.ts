/** What a text is found by, and what a query finds. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchableText } from "../../../src/store/body.ts";
import { rankPlaces } from "../../../src/core/recall/ranking.ts";
import { holdsTerm, parseQuery, stemOf, tokensOf } from "../../../src/core/recall/words.ts";
import { processorMs } from "../../support/linear.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const holds = (text: string, query: string): boolean =>
  parseQuery(query)!.terms.every((term) => holdsTerm(tokensOf(text), term));
const sorted = (text: string): readonly string[] => [...tokensOf(text)].toSorted();

describe("the tokens of a text", () => {
  it("are words, parts of names, and pairs of CJK characters", () => {
    expect(sorted("The max_retryCount")).toEqual(["count", "max", "retry", "retrycount", "the"]);
    expect(sorted("HTTPServer2x, v10")).toEqual(["http", "httpserver2x", "server2x", "v10"]);
    expect(sorted("修复bug了")).toEqual(["bug", "了", "修复", "复"].toSorted());
    expect(sorted("naïve Ünïcode")).toEqual(["naive", "naïve", "unicode", "ünïcode"]);
    expect(sorted(`${"a".repeat(129)} b`)).toEqual(["b"]);
    expect(sorted("=> -- ()")).toEqual([]);
  });

  it("cost no more for any character than a few times an ordinary text", () => {
    const time = (text: string): number => processorMs(() => tokensOf(text));
    const ordinary = "the order of words failed at value 42 ".repeat(8_000);
    const best = (text: string): number => Math.min(...Array.from({ length: 3 }, () => time(text)));
    const base = best(ordinary);
    for (const piece of ["a", "aB ", "字a", "aB", "AB", "é", "_", "字", "\u0301", "0"])
      expect(best(piece.repeat(300_000 / piece.length)), piece).toBeLessThan(base * 12 + 50);
  });
});

describe("the stem of a word", () => {
  it("is what its forms have in common", () => {
    const families = [
      ["retry", "retries", "retried", "retrying"],
      ["round", "rounds", "rounded", "rounding"],
      ["cache", "caches", "cached", "caching"],
      ["run", "runs", "running"],
      ["compact", "compacts", "compacted", "compaction", "compactions"],
      ["validate", "validated", "validates", "validating", "validation"],
      ["policy", "policies"],
      ["class", "classes"],
    ];
    for (const [first, ...others] of families)
      for (const other of others) expect([other, holds(`a ${other} b`, first!)]).toEqual([other, true]);
  });

  it("leaves words alone that have no ending", () => {
    for (const word of ["string", "speed", "status", "process", "this", "4317", "数据"])
      expect(stemOf(word)).toBe(word);
  });

  it("begins every word that has it, and a word is always found by itself", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,6}(ations|ating|ying|ies|ied|ing|ed|es|s|e|y)?$/), (word) => {
        expect(word.startsWith(stemOf(word))).toBe(true);
        expect(holds(`x ${word} y`, word)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("a query", () => {
  const word = fc
    .stringMatching(/^[a-zA-Z0-9_修复数据库エラー연결./-]{1,12}$/u)
    .filter((one) => parseQuery(one) !== undefined);

  it("finds any words of a text, in any case and order", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.nat()), (words, picks) => {
        const text = words.join(" ");
        const some = [...picks.take(3)].map((pick) => words[pick % words.length]!);
        expect(holds(text, some.join(" "))).toBe(true);
        expect(holds(text, some.join("  ").toUpperCase())).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ["ozturk", "Frau Öztürk fragt"],
    ["ÖZTÜRK", "frau ozturk fragt"],
    ["centimo", "sobran dos céntimos"],
    ["céntimo", "un centimo"],
    ["strasse lodz", "die Straße in Łódź"],
    ["istanbul sehir", "İstanbul şehir"],
    ["Müller", "Mu\u0308ller in NFD"],
    ["οδος", "ΟΔΌΣ"],
    ["ещё", "еще раз"],
    ["größe", "maxGrößeUmbruch"],
    ["grosse", "maxGrößeUmbruch"],
  ])("%j finds %j, whatever marks either has", (query, text) => {
    expect(holds(text, query)).toBe(true);
    expect(rankPlaces([{ key: 1, text }], query, { limit: 1 })).toHaveLength(1);
  });

  it("finds a word as it is written in an index that has nothing else", () => {
    const indexed = new Set(["öztürk", "maxgrößeumbruch", "max", "größe", "umbruch"]);
    for (const query of ["Öztürk", "größe", "maxGröße"])
      expect(
        parseQuery(query)!.terms.every((term) => holdsTerm(indexed, term)),
        query,
      ).toBe(true);
  });

  it("keeps letters apart that nobody takes for one another", () => {
    for (const [query, text] of [
      ["мой", "мои дела"],
      ["が", "か"],
      ["수", "ᄉ"],
    ] as const)
      expect(holds(text, query)).toBe(false);
  });

  it("says nothing with words that every text holds, unless they are all there is", () => {
    expect(parseQuery("why is the port closed")!.terms.map(({ word: one }) => one)).toEqual(["port", "closed"]);
    expect(parseQuery("what is this")!.terms).toHaveLength(3);
    expect(parseQuery("=> --")).toBeUndefined();
  });
});

describe("what a search sees of a message", () => {
  const seen = (message: unknown): string => searchableText({ form: "message", text: JSON.stringify(message) });

  it("is its strings, those inside JSON arguments too, but no data", () => {
    const call = { name: "run", arguments: JSON.stringify({ command: "ls\n-la", depth: 2 }) };
    expect(seen({ role: "assistant", tool_calls: [call] })).toBe("assistant\nrun\ncommand\nls\n-la\ndepth\n2");
    expect(seen({ role: "user", content: [{ data: "QUJD".repeat(1_000) }, { text: "look" }] })).toBe("user\nlook");
  });

  it("is the text itself where that is no JSON, and survives any nesting", () => {
    expect(searchableText({ form: "message", text: "{broken" })).toBe("{broken");
    expect(searchableText({ form: "message", text: `${"[".repeat(100_000)}"deep"${"]".repeat(100_000)}` })).toContain(
      "deep",
    );
    expect(searchableText({ form: "media", text: "AAAA" })).toBe("");
  });
});
