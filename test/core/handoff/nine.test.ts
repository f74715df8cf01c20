/** The nine sections of Claude Code: the form holds what it says it holds, and comes back topic by topic. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeHandoff, parseHandoff } from "../../../src/core/handoff/write.ts";
import { askedOf } from "../../../src/core/handoff/model/asked.ts";
import { sectionLines } from "../../../src/core/handoff/render.ts";
import { NINE_SECTIONS, SEVEN_SECTIONS, THIRTEEN_SECTIONS } from "../../../src/core/handoff/templates.ts";
import type { Topic } from "../../../src/core/handoff/sections/topic.ts";
import { HANDOFF_END, HANDOFF_START } from "../../../src/core/handoff/marks.ts";
import { ran, says, user } from "../../support/compacting.ts";
import { requestFor } from "./requests.ts";

/** As observed in Claude Code 2.1, in its order. */
const DOCUMENTED = [
  "request and intent",
  "concepts",
  "files",
  "errors",
  "problem solving",
  "user messages",
  "pending tasks",
  "current work",
  "next step",
];

const topics = NINE_SECTIONS.flatMap((section) => section.topics).filter((topic) => topic !== "files");
const word = fc.stringMatching(/^[a-z]{3,8} [a-z]{3,8}$/);

describe("the nine sections", () => {
  it("are Claude Code's, in its order", () => {
    expect(NINE_SECTIONS).toHaveLength(9);
    NINE_SECTIONS.forEach(({ heading, level }, at) => {
      expect(heading.toLowerCase()).toContain(DOCUMENTED[at]!);
      expect(level).toBe(2);
    });
  });

  it("say all that the thirteen say", () => {
    for (const { topics: own } of [...THIRTEEN_SECTIONS, ...SEVEN_SECTIONS])
      for (const topic of own) expect([...topics, "files"]).toContain(topic);
  });

  it("ask a model for words that stand in the session, and leave to code what the user wrote", () => {
    const asked = askedOf(NINE_SECTIONS);
    expect(asked.map(({ topic }) => topic)).toEqual([
      "goal",
      "decisions",
      "files",
      "blocked",
      "actions",
      "pending",
      "state",
      "progress",
    ]);
    for (const topic of ["goal", "decisions", "pending", "progress"])
      expect(asked.find((one) => one.topic === topic)?.purpose).toMatch(/word for word/);
  });

  it("come back topic by topic", () => {
    const contents = fc.uniqueArray(word, { minLength: topics.length, maxLength: topics.length });
    fc.assert(
      fc.property(contents, (texts) => {
        const filled = new Map(
          topics.map((topic, at) => {
            const items = [{ key: topic, text: texts[at]!, rank: 1, order: at }];
            return [topic, { items, leftOut: 0 }] as const;
          }),
        );
        const lines = NINE_SECTIONS.flatMap((section) => sectionLines(section, { filled, numbers: [] }, "r0123abcde"));
        const read = parseHandoff([HANDOFF_START, ...lines, HANDOFF_END].join("\n"));
        topics.forEach((topic: Topic, at) => expect(read?.sections.get(topic)).toEqual([texts[at]]));
      }),
    );
  });
});

describe("a handoff in nine sections", () => {
  const session = [
    user("Make the parser accept trailing commas. Never change src/api.ts."),
    ...ran("bash", { command: "npm test" }, "src/parser.ts:41 Error: unexpected comma in [1,]\nexit code 1"),
    ...ran("edit", { path: "src/parser.ts", old_string: "a", new_string: "b" }, "ok"),
    ...ran("bash", { command: "npm test" }, "Tests 12 passed (12)", "call_again"),
    says("The parser accepts trailing commas now."),
    user("Thanks, go on with the writer."),
    says("I shall look at the writer first."),
    user("And then the docs: every setting of the parser and of the writer needs a line there."),
  ];

  it("quotes every message of the user, and says what mended an error", () => {
    const { text } = writeHandoff(requestFor(session, { tail: 1, template: NINE_SECTIONS, budget: 3_000 }));
    const read = parseHandoff(text)!;
    expect(read.sections.get("messages")).toEqual([
      "Make the parser accept trailing commas. Never change src/api.ts.",
      "Thanks, go on with the writer.",
    ]);
    expect(read.sections.get("fixed")?.join("\n")).toMatch(/unexpected comma.* gone after changes of src\/parser\.ts/);
    const headings: readonly string[] = text.match(/^## .*$/gm) ?? [];
    const known = NINE_SECTIONS.map(({ heading }) => `## ${heading}`);
    expect(headings).toEqual(known.filter((heading) => headings.includes(heading)));
    expect(text.split("Thanks, go on with the writer.")).toHaveLength(2);
  });
});
