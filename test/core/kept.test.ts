/** What is kept with its text or object: asked for once, the same afterwards, and within its limit; and what that spares a compaction. */
import { describe, expect, it } from "vitest";
import { keptByText, keptWith } from "../../src/core/kept.ts";
import type { Message } from "../../src/core/transcript/message.ts";
import { chain, compacted, measure, ran, says, talk, user } from "../support/compacting.ts";

describe("what is kept", () => {
  it("is worked out once for a text, however the text was made", () => {
    const asked: string[] = [];
    const lengthOf = keptByText((text) => asked.push(text) && text.length, 1_000);
    expect([lengthOf("one"), lengthOf(["o", "n", "e"].join("")), lengthOf("three")]).toEqual([3, 3, 5]);
    expect(asked).toEqual(["one", "three"]);
  });

  it("starts afresh at its limit, and answers the same", () => {
    let asked = 0;
    const lengthOf = keptByText((text) => ++asked && text.length, 10_000);
    const texts = Array.from({ length: 100 }, (_, at) => `${at} ${"x".repeat(1_000)}`);
    for (const text of [...texts, ...texts]) expect(lengthOf(text)).toBe(text.length);
    expect(asked).toBe(200);
  });

  it("is worked out once for an object, and apart for an equal one", () => {
    let asked = 0;
    const keysOf = keptWith((value: object) => ++asked && Object.keys(value));
    const one = { a: 1 };
    expect(keysOf(one)).toBe(keysOf(one));
    expect(keysOf({ a: 1 })).toEqual(["a"]);
    expect(asked).toBe(2);
  });
});

describe("a compaction one exchange after another", () => {
  const steps = Array.from({ length: 120 }, (_, at): readonly Message[] => [
    ...(at % 10 === 0
      ? [user(`Have a look at the part_${at} of the store, and say what it does with its items.`)]
      : []),
    ...ran("Bash", { command: `cat part_${at}.log` }, logOf(at)),
    says(`The part_${at} of the store listens at port ${7_000 + at}, and its items are in table_${at}.`),
  ]);
  const transcriptOf = (count: number) => talk(...steps.slice(0, count));

  it("weighs no line of a result again", async () => {
    const weighed: string[] = [];
    const text = (own: string): number => {
      weighed.push(own);
      return measure.text(own);
    };
    const request = { reason: "budget", budget: 4_000, chain, measure: { ...measure, text }, secrets: {} } as const;
    await compacted(transcriptOf(119), request);
    expect(linesOfLogs(weighed)).toBeGreaterThan(500);
    weighed.length = 0;
    await compacted(transcriptOf(120), request);
    expect(linesOfLogs(weighed)).toBeLessThan(30);
  });
});

function logOf(part: number): string {
  return Array.from(
    { length: 8 },
    (_, at) => `the shelf_${part}_${at} holds ${part * 10 + at} items of kind_${at}`,
  ).join("\n");
}

/** How many of the texts are a line of a log alone. */
function linesOfLogs(texts: readonly string[]): number {
  return texts.filter((text) => /^the shelf_\d+_\d+ holds \d+ items of kind_\d\n$/.test(text)).length;
}
