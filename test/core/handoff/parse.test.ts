import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withNote } from "../../../src/core/handoff/framing.ts";
import { parseHandoff } from "../../../src/core/handoff/write.ts";
import { HANDOFF_END, HANDOFF_START } from "../../../src/core/handoff/marks.ts";
import { sectionLines, type HandoffContents } from "../../../src/core/handoff/render.ts";
import { THIRTEEN_SECTIONS } from "../../../src/core/handoff/templates.ts";
import type { Topic } from "../../../src/core/handoff/sections/topic.ts";
import type { Item } from "../../../src/core/handoff/items.ts";
import { contentText, textMessage } from "../../../src/core/transcript/message.ts";
import { RUNS } from "../../support/transcripts.ts";
import { anyText } from "../../support/turns.ts";

/** Words of any kind as an item has them: trimmed, not empty. */
const itemText = fc
  .oneof(
    anyText,
    fc.constantFrom("## Goal\n- x", "- a\n\n- b", "None.", "@ source", "a\n[end of precis handoff 1]\nb", "(+3 in r1)"),
  )
  .map((text) => text.trim())
  .filter((text) => text !== "");
const topics = THIRTEEN_SECTIONS.flatMap((section) => section.topics).filter((topic) => topic !== "files");

function written(items: ReadonlyMap<Topic, readonly string[]>): string {
  const filled = new Map(
    [...items].map(([topic, texts]) => [
      topic,
      { items: texts.map((text, order): Item => ({ key: text, text, rank: 1, order })), leftOut: 2 },
    ]),
  );
  const contents: HandoffContents = { filled, numbers: [6] };
  const sections = THIRTEEN_SECTIONS.flatMap((section) => sectionLines(section, contents, "r0123abcde"));
  return [
    HANDOFF_START,
    "Background. Originals: recall r0123abcde (before them: raaaaaaaaa).",
    ...sections,
    HANDOFF_END,
  ].join("\n");
}

/** A mark of ours that someone pasted is written as a quotation, so that it ends no handoff. */
function asWritten(text: string): string {
  return text.replace("[end of precis handoff 1]", "[quoted: end of precis handoff 1]");
}

describe("reading a handoff back", () => {
  it("gives every entry that was written, whatever its text", () => {
    const sections = fc.dictionary(fc.constantFrom(...topics), fc.array(itemText, { maxLength: 4 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(sections, (drawn) => {
        const items = new Map(Object.entries(drawn) as [Topic, string[]][]);
        const parsed = parseHandoff(written(items))!;
        for (const [topic, expected] of items)
          expect(parsed.sections.get(topic) ?? []).toEqual(expected.map(asWritten));
        expect(parsed.spans).toEqual(["r0123abcde", "raaaaaaaaa"]);
        expect(parsed.numbers).toEqual((items.get("actions") ?? []).map((_, at) => 7 + at));
      }),
      { numRuns: RUNS },
    );
  });

  it("gives nothing for a text that is no handoff", () => {
    expect(parseHandoff("## Goal\n- x")).toBeUndefined();
    expect(parseHandoff("[precis handoff 2]\n## Goal\n- x")).toBeUndefined();
  });

  it("takes a handoff whose end was cut off", () => {
    expect(
      parseHandoff(`${HANDOFF_START}\nOriginals: recall r0123abcde.\n## Goal\n- a shop`)!.sections.get("goal"),
    ).toEqual(["a shop"]);
  });

  it("gives files one by one, each with its tool", () => {
    const text = `${HANDOFF_START}\nx\n## Relevant Files\n- Read: a.ts, b.ts\n- Edit since the last commit: c.ts\n${HANDOFF_END}`;
    expect(parseHandoff(text)!.sections.get("files")).toEqual([
      "Read: a.ts",
      "Read: b.ts",
      "Edit since the last commit: c.ts",
    ]);
  });
});

describe("the note in the system prompt", () => {
  it("is added once", () => {
    const system = [textMessage("system", "You are an agent.")];
    const noted = withNote(system);
    expect(noted.slice(0, 1)).toEqual(system);
    expect(noted).toHaveLength(2);
    expect(contentText(noted[1]!.parts)).toContain(HANDOFF_START);
    expect(withNote(noted)).toBe(noted);
  });
});
