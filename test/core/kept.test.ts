/** What is kept with its text or object: asked for once, the same afterwards, and within its limit; and what that spares a compaction. */
import { describe, expect, it } from "vitest";
import { keptByText, keptWhile, keptWith } from "../../src/core/kept.ts";
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

  it("is worked out again for an object where anything else is not the same", () => {
    let asked = 0;
    const textOf = keptWhile((value: { readonly a: number }, unit: string) => ++asked && `${value.a} ${unit}`);
    const one = { a: 1 };
    expect([textOf(one, "m"), textOf(one, "m"), textOf(one, "s"), textOf(one, "s")]).toEqual([
      "1 m",
      "1 m",
      "1 s",
      "1 s",
    ]);
    expect(asked).toBe(2);
  });
});

describe("a compaction one exchange after another", () => {
  const stepsWith = (command: string) =>
    Array.from({ length: 120 }, (_, at): readonly Message[] => [
      ...(at % 10 === 0
        ? [user(`Have a look at the part_${at} of the store, and say what it does with its items.`)]
        : []),
      ...ran("Bash", { command: `${command} part_${at}.log` }, logOf(at)),
      says(`The part_${at} of the store listens at port ${7_000 + at}, and its items are in table_${at}.`),
    ]);

  /** The texts that are weighed in a compaction and in the next one. */
  const weighedInTwo = async (command: string): Promise<readonly (readonly string[])[]> => {
    const weighed: string[] = [];
    const text = (own: string): number => {
      weighed.push(own);
      return measure.text(own);
    };
    const request = { reason: "budget", budget: 4_000, chain, measure: { ...measure, text }, secrets: {} } as const;
    const steps = stepsWith(command);
    await compacted(talk(...steps.slice(0, -1)), request);
    const first = weighed.splice(0);
    await compacted(talk(...steps), request);
    return [first, weighed];
  };

  it("weighs few lines of what was done again", async () => {
    const [first, second] = (await weighedInTwo("make")).map(
      (texts) => texts.filter((text) => text.startsWith("· `make")).length,
    );
    expect(first).toBeGreaterThan(100);
    expect(second).toBeLessThan(20);
  });
});

function logOf(part: number): string {
  return Array.from(
    { length: 8 },
    (_, at) => `the shelf_${part}_${at} holds ${part * 10 + at} items of kind_${at}`,
  ).join("\n");
}
