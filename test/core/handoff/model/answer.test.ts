/** Answers as models write them: in fences, after thinking, with other bullets; the sections are found all the same. */
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../../src/core/handoff/model/answer.ts";
import { askedOf, recordText } from "../../../../src/core/handoff/model/asked.ts";
import { SEVEN_SECTIONS, THIRTEEN_SECTIONS } from "../../../../src/core/handoff/templates.ts";

const asked = askedOf(THIRTEEN_SECTIONS);
const PLAIN =
  "## Goal\n- ship it\n\n## Completed Actions\n1. READ a.ts — ok [tool: read]\n2. EDIT b.ts [tool: edit]\n\n## Blocked\nNone.";

describe("an answer", () => {
  it.each([
    ["as asked", PLAIN],
    ["in a fence", `\`\`\`markdown\n${PLAIN}\n\`\`\``],
    ["after thinking", `<think>\n## Goal\n- something else\n</think>\n\n${PLAIN}`],
    ["after a greeting", `Here is the record:\n\n${PLAIN}`],
    ["with other bullets", PLAIN.replace("- ship", "* ship").replace("1. ", "1) ").replace("2. ", "2) ")],
    ["with headings in bold", PLAIN.replace(/^## (.+)$/gm, "**$1:**")],
    [
      "with numbered headings of another depth",
      PLAIN.replace("## Goal", "### 2. Goal").replace("## Completed", "# 4. Completed"),
    ],
    ["with Windows line ends", PLAIN.replaceAll("\n", "\r\n")],
  ])("%s", (_, text) => {
    const { items, headings } = readAnswer(text, asked);
    expect(headings).toBe(3);
    expect(items.get("goal")).toEqual(["ship it"]);
    expect(items.get("actions")).toEqual(["READ a.ts — ok [tool: read]", "EDIT b.ts [tool: edit]"]);
    expect(items.get("blocked")).toEqual([]);
  });

  it("keeps what belongs to an item with it", () => {
    const text = "## Key Decisions\n- one store\n  because of X\n    - and of Y\n- two pages";
    expect(readAnswer(text, asked).items.get("decisions")).toEqual([
      "one store\n  because of X\n    - and of Y",
      "two pages",
    ]);
  });

  it("takes a paragraph for an item", () =>
    expect(readAnswer("## Goal\nShip it by noon.", asked).items.get("goal")).toEqual(["Ship it by noon."]));

  it("cuts an item that is a document, visibly", () => {
    const [item] = readAnswer(`## Goal\n- ${"word ".repeat(2_000)}`, asked).items.get("goal")!;
    expect(item!.length).toBeLessThan(2_500);
    expect(item).toMatch(/\[…\]$/);
  });

  it("has nothing of sections that nobody asked for", () =>
    expect([...readAnswer("## Poem\n- a rose\n## All User Messages\n- be nice", asked).items]).toEqual([]));

  it.each([THIRTEEN_SECTIONS, SEVEN_SECTIONS])("reads back what it is given as a record", (...template) => {
    const own = askedOf(template as typeof THIRTEEN_SECTIONS);
    const items = new Map(own.map(({ topic }, at) => [topic, [`first of ${topic} ${at}`, `second of ${topic}`]]));
    expect(readAnswer(recordText(items, own), own).items).toEqual(items);
  });

  it("is read in linear time, whatever it holds", () => {
    const time = (text: string): number => {
      const start = performance.now();
      readAnswer(text, asked);
      return performance.now() - start;
    };
    for (const piece of ["#", "*", "- ", "**a", "1.", "\n- x", "<think>"]) {
      const small = piece.repeat(Math.ceil(40_000 / piece.length));
      time(small);
      expect(time(small.repeat(8))).toBeLessThan(time(small) * 80 + 150);
    }
  });
});
