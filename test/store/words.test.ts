/** What a text is found by, and what a query finds. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { searchableText } from "../../src/store/body.ts";
import { isHit, lineOfHit, parseQuery, tokensOf } from "../../src/store/words.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const sorted = (text: string): readonly string[] => [...tokensOf(text)].toSorted();

describe("the tokens of a text", () => {
  it("are words, parts of names, and pairs of CJK characters", () => {
    expect(sorted("The max_retryCount")).toEqual(["count", "max", "retry", "retrycount", "the"]);
    expect(sorted("HTTPServer2x, v10")).toEqual(["http", "httpserver2x", "server2x", "v10"]);
    expect(sorted("修复bug了")).toEqual(["bug", "了", "修复", "复"].toSorted());
    expect(sorted("naïve Ünïcode")).toEqual(["naïve", "ünïcode"]);
    expect(sorted(`${"a".repeat(129)} b`)).toEqual(["b"]);
    expect(sorted("=> -- ()")).toEqual([]);
  });

  it("cost no more for any character than a few times an ordinary text", () => {
    const time = (text: string): number => {
      const start = performance.now();
      tokensOf(text);
      return performance.now() - start;
    };
    const ordinary = "the order of words failed at value 42 ".repeat(8_000);
    const best = (text: string): number => Math.min(...Array.from({ length: 3 }, () => time(text)));
    const base = best(ordinary);
    for (const piece of ["a", "aB ", "字a", "aB", "AB", "é", "_", "字", "\u0301", "0"])
      expect(best(piece.repeat(300_000 / piece.length)), piece).toBeLessThan(base * 12 + 50);
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
        expect(isHit(text, parseQuery(some.join(" "))!)).toBe(true);
        expect(isHit(text, parseQuery(some.join("  ").toUpperCase())!)).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("finds nothing that the text does not hold literally", () => {
    fc.assert(
      fc.property(word, word, (text, query) => {
        if (isHit(text, parseQuery(query)!)) expect(text.toLowerCase()).toContain(query.toLowerCase());
      }),
      { numRuns: RUNS },
    );
  });

  it("shows the line that holds all of it, else the first that holds its first word, cut around the hit", () => {
    const query = parseQuery("port 4317")!;
    expect(lineOfHit("a port\nport 4317\n", query)).toBe("port 4317");
    expect(lineOfHit("4317\nthe Port\nport", query)).toBe("the Port");
    const long = `${"x ".repeat(5_000)}port 4317${" y".repeat(5_000)}`;
    expect(lineOfHit(long, query)).toContain("port 4317");
    expect(lineOfHit(long, query).length).toBeLessThanOrEqual(500);
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
