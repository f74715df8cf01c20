/** Places that hold words: all before most, near before far, each once, and never more than a paragraph. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PASSAGE_CHARS_MAX, rankPlaces } from "../../../src/core/recall/ranking.ts";
import { processorMs } from "../../support/linear.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const FILLER = Array.from({ length: 40 }, (_, at) => `filler line ${at} that says nothing at all`).join("\n");

function ranked(texts: Readonly<Record<string, string>>, query: string, limit = 9): readonly string[] {
  return rankPlaces(
    Object.entries(texts).map(([key, text]) => ({ key, text })),
    query,
    { limit },
  ).map(({ key }) => key);
}

describe("the order", () => {
  it("has all words near one another first, then all words, then most", () => {
    const texts = {
      most: "the cart total was rounded",
      far: `half of it\n${FILLER}\neven so\n${FILLER}\nrounding errors\n${FILLER}\nthe total`,
      near: `${FILLER}\nwe chose half-even rounding for the total\n${FILLER}`,
      none: "nothing about it",
    };
    expect(ranked(texts, "half even rounding total")).toEqual(["near", "far"]);
    expect(ranked({ most: "rounded total", none: "x" }, "half even rounding total")).toEqual(["most"]);
  });

  it("weighs rare words more than common ones", () => {
    const common = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`c${at}`, `the test failed in run ${at}`]),
    );
    expect(ranked({ ...common, rare: "S-1042 came back one cent short" }, "test S-1042")[0]).toBe("rare");
  });

  it("finds a name by its parts, and the name as it is written first", () => {
    const texts = {
      parts: "calculate the refund",
      name: "calls calculateRefund(order)",
      path: "src/calculate/refund.ts",
    };
    expect(ranked(texts, "calculateRefund")[0]).toBe("name");
    expect([...ranked(texts, "refund")].toSorted()).toEqual(["name", "parts", "path"]);
  });

  it("leaves equals as they came, and shows the same words once", () => {
    expect(ranked({ newer: "port 4317", older: "the port 4317" }, "port")).toEqual(["newer", "older"]);
    expect(ranked({ message: "port 4317 is open", copy: "port 4317 is open" }, "port")).toEqual(["message"]);
  });
});

describe("in a conversation", () => {
  const said = [
    "Which colour did you paint the kitchen door, and when?",
    "Green, last Tuesday.",
    "The door of the shed is next.",
    "I had soup for lunch.",
    "Then I slept.",
  ];
  const found = (query: string) =>
    rankPlaces(
      said.map((text, key) => ({ key, text })),
      query,
      { limit: 9, follows: (key, before) => key === before + 1 },
    );

  it("finds the answer beside the question that holds the words, and says that it holds none", () => {
    const [question, ...others] = found("colour kitchen door");
    expect(question!.key).toBe(0);
    expect(others).toContainEqual({ key: 1, text: said[1], missing: ["colour", "kitchen", "door"], isNeighbour: true });
    expect(others.map(({ key }) => key)).not.toContain(4);
  });

  it("goes on with places that hold few of the words behind those that hold most", () => {
    expect(found("colour door hinge").map(({ key }) => key)).toEqual([0, 1, 2]);
    expect(ranked(Object.fromEntries(said.entries()), "colour door hinge")).toEqual(["0"]);
    // Where one holds every word, those with few of them are left out.
    expect(found("colour kitchen door").map(({ key }) => key)).toEqual([0, 1]);
  });

  it("shows no secret of a neighbour", () => {
    const redact = (text: string): string => text.replaceAll("hunter2", "***");
    const texts = ["What is the password?", "hunter2, as ever"].map((text, key) => ({ key, text }));
    const options = { limit: 9, redact, follows: (key: number, before: number) => key === before + 1 };
    expect(rankPlaces(texts, "password", options).map(({ text }) => text)).toEqual([
      "What is the password?",
      "***, as ever",
    ]);
  });
});

describe("a place", () => {
  it("is about a paragraph of whole lines or words around what was searched for", () => {
    const words = Array.from({ length: 2_000 }, (_, at) => `word${at}`).join(" ");
    const [long] = rankPlaces([{ key: 1, text: words }], "word1000", { limit: 1 });
    expect(long!.text).toContain("word1000");
    expect(long!.text).toMatch(/^…word\d+ /);
    const [lines] = rankPlaces([{ key: 1, text: `${FILLER}\nthe deadline is friday\n${FILLER}` }], "deadline", {
      limit: 1,
    });
    expect(lines!.text.split("\n")).toContain("the deadline is friday");
    expect(lines!.text.length).toBeGreaterThan(PASSAGE_CHARS_MAX / 2);
    for (const line of lines!.text.split("\n")) expect(`${FILLER}\nthe deadline is friday`.split("\n")).toContain(line);
  });

  it("says which words are not there", () => {
    const [place] = rankPlaces([{ key: 1, text: "double rounding" }], "half-even rounding", { limit: 1 });
    expect(place).toMatchObject({ text: "double rounding", missing: ["half-even"] });
  });

  it("shows no secret, and is not found by one", () => {
    const redact = (text: string): string => text.replaceAll("hunter2", "***");
    const candidates = [{ key: 1, text: "the password is hunter2 for now" }];
    expect(rankPlaces(candidates, "password", { limit: 1, redact })[0]!.text).toBe("the password is *** for now");
    expect(rankPlaces(candidates, "hunter2", { limit: 1, redact })).toEqual([]);
  });

  it("is no longer than a paragraph, whatever the text", () => {
    const text = fc
      .array(fc.oneof(fc.string(), fc.constant("needle"), fc.string({ minLength: 200, maxLength: 900 })))
      .map((all) => all.join("\n"));
    fc.assert(
      fc.property(text, (one) => {
        for (const place of rankPlaces([{ key: 1, text: `${one}\nneedle` }], "needle", { limit: 5, placesPerText: 5 }))
          expect(place.text.length).toBeLessThanOrEqual(PASSAGE_CHARS_MAX + 2);
      }),
      { numRuns: RUNS },
    );
  });

  it("takes time in proportion to the text", () => {
    const time = (text: string): number =>
      processorMs(() => rankPlaces([{ key: 1, text }], "needle haystack", { limit: 5 }));
    const ordinary = "the order of words failed at value 42 ".repeat(8_000);
    const best = (text: string): number => Math.min(...Array.from({ length: 3 }, () => time(text)));
    const base = best(ordinary);
    for (const piece of ["needle ", "needle\n", "n", "\n", "needlehaystack", "needle haystack\n", "字"])
      expect(best(piece.repeat(300_000 / piece.length)), piece).toBeLessThan(base * 20 + 500);
  });
});
