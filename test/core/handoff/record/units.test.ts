/** How much a sentence says to somebody who goes on: what is asked or told before thanks, praise and headings. */
import { describe, expect, it } from "vitest";
import { unitsOf } from "../../../../src/core/handoff/record/units.ts";

/** The sentences of a text, the most telling first. */
const ranked = (text: string): readonly string[] =>
  unitsOf(text)
    .toSorted((a, b) => b.score - a.score)
    .map((unit) => unit.text);

describe("a sentence", () => {
  it.each([
    ["That was very useful, thank you. I love walking in the hills.", "I love walking in the hills."],
    ["The weather was really nice. Thanks, now print the map.", "Thanks, now print the map."],
    ["Great question. The list is sorted by height.", "The list is sorted by height."],
    ["## Problems\nThe list is sorted twice.\nIt takes long.", "The list is sorted twice."],
  ])("of %j that says most comes first", (text, most) => {
    expect(ranked(text)[0]).toBe(most);
  });

  it("that thanks and names something exact is worth more than thanks alone", () => {
    const [exact, plain] = ["Thank you for `parse.ts`.", "Thank you for all of that."].map((text) => unitsOf(text)[0]!);
    expect(exact!.score).toBeGreaterThan(plain!.score + 1);
  });

  it.each([
    ["Hello again. I looked. The first ticket has a fixed date. Therefore, I cannot move it.", "The first ticket has"],
    [
      "Hello again. I looked. Both tickets have another date. Additionally, a bag has been added for you.",
      "Both tickets",
    ],
    ["Your ticket has another date now. If you need any further help, feel free to ask!", "Your ticket has"],
  ])("that leans on another one, or only offers help, comes after it: %j", (text, most) => {
    expect(ranked(text)[0]).toContain(most);
  });
});
