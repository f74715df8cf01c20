/** How much of a text stands in no other. */
import { describe, expect, it } from "vitest";
import { noveltiesAmong } from "../../../../src/core/handoff/turns/novelty.ts";

const words = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name}${"abcdefghij"[at % 10]}${"klmnopqrst"[Math.floor(at / 10)]}`).join(
    " ",
  );

describe("words of its own", () => {
  it("weigh more than words that others have, in any script", () => {
    for (const [own, shared] of [
      ["the plum that nobody counted", "go on with the shelf"],
      ["没有人数过的李子", "继续整理货架吧"],
    ]) {
      const [first, second] = noveltiesAmong([own!, shared!, shared!, shared!], 1);
      expect(first).toBeGreaterThan(second!);
    }
  });

  it("are worth their length in a talk, and its root in work: what a long text has of its own takes longer to tell", () => {
    const texts = [words("p", 90), words("q", 10)];
    const [long, short] = noveltiesAmong(texts, 1);
    expect(long! / short!).toBeCloseTo(1, 0);
    const [longer, shorter] = noveltiesAmong(texts, 0.5);
    expect(longer! / shorter!).toBeGreaterThan(2);
    expect(longer! / shorter!).toBeLessThan(4);
  });
});
