/** Answers as models write them: whatever headings, lists, tables and code they use, every line of them stands, in its order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../../src/core/handoff/model/answer.ts";
import { askedOf, recordText } from "../../../../src/core/handoff/model/asked.ts";
import { FOUR_SECTIONS } from "../../../../src/core/handoff/four-sections.ts";
import { NINE_SECTIONS, SEVEN_SECTIONS, THIRTEEN_SECTIONS } from "../../../../src/core/handoff/templates.ts";
import { thirteenSections } from "../../../../src/core/handoff/translations.ts";
import type { Topic } from "../../../../src/core/handoff/sections/topic.ts";
import { RUNS } from "../../../support/transcripts.ts";
import { processorMs } from "../../../support/linear.ts";

const asked = askedOf(THIRTEEN_SECTIONS);
const PLAIN =
  "## Goal\n- ship it\n\n## Completed Actions\n1. READ a.ts — ok [tool: read]\n2. EDIT b.ts [tool: edit]\n\n## Blocked\nNone.";
const itemsOf = (text: string, topic: Topic) => readAnswer(text, asked).items.get(topic);

describe("an answer", () => {
  it.each([
    ["as asked", PLAIN],
    ["in a fence", `\`\`\`markdown\n${PLAIN}\n\`\`\``],
    ["in a fence that is not closed", `\`\`\`\n${PLAIN}`],
    ["in a fence after a greeting", `Here is the record:\n\n\`\`\`md\n${PLAIN}\n\`\`\`\n`],
    ["after thinking", `<think>\n## Goal\n- something else\n</think>\n\n${PLAIN}`],
    ["after a greeting", `Here is the record:\n\n${PLAIN}`],
    ["with other bullets", PLAIN.replace("- ship", "* ship").replace("1. ", "1) ").replace("2. ", "2) ")],
    ["with headings in bold", PLAIN.replace(/^## (.+)$/gm, "**$1:**")],
    ["with headings in bold and numbered", PLAIN.replace(/^## (.+)$/gm, "3. **$1**")],
    [
      "with other capitals",
      PLAIN.replace("Completed Actions", "COMPLETED ACTIONS").replace("## Goal", "## goal (overall)"),
    ],
    [
      "with numbered headings of another depth",
      PLAIN.replace("## Goal", "### 2. Goal").replace("## Completed", "# 4. Completed"),
    ],
    ["with Windows line ends", PLAIN.replaceAll("\n", "\r\n")],
    ["with the words that explain a heading", PLAIN.replace("## Goal", "## Goal\n(what the user wants in the end)")],
    ["with those words in a list", PLAIN.replace("## Goal", "## Goal\n- (what the user wants in the end)")],
    ["with lines between its sections", PLAIN.replaceAll("\n\n", "\n\n---\n\n")],
  ])("%s", (_, text) => {
    const { items, headings } = readAnswer(text, asked);
    expect(headings).toBe(3);
    expect(items.get("goal")!.filter((one) => one !== "(overall)")).toEqual(["ship it"]);
    expect(items.get("actions")).toEqual(["READ a.ts — ok [tool: read]", "EDIT b.ts [tool: edit]"]);
    expect(items.get("blocked")).toEqual([]);
  });

  it("takes a paragraph for an item, and the words beside a heading", () => {
    expect(itemsOf("## Goal\nShip it by noon.\n\nNot before.", "goal")).toEqual(["Ship it by noon.", "Not before."]);
    expect(itemsOf("**Goal:** Ship it by noon.", "goal")).toEqual(["Ship it by noon."]);
  });

  it("has an item whole that is a document", () => {
    const text = "word ".repeat(2_000).trim();
    expect(itemsOf(`## Goal\n- ${text}`, "goal")).toEqual([text]);
  });

  it("that was cut off loses the line in which it was", () => {
    const text = "## Key Decisions\n- one store\n- two pages, but no";
    expect(readAnswer(text, asked, true)).toMatchObject({ torn: true });
    expect(readAnswer(text, asked, true).items.get("decisions")).toEqual(["one store"]);
    expect(readAnswer(`${text}\n`, asked, true)).toMatchObject({ torn: false });
  });

  it.each([THIRTEEN_SECTIONS, SEVEN_SECTIONS, NINE_SECTIONS, FOUR_SECTIONS])(
    "reads back what it is given as a record",
    (...template) => {
      const own = askedOf(template as typeof THIRTEEN_SECTIONS);
      const long = "**Cause**\n- the pipe\n  - closed\n\n```sh\n# all\nnpm test\n```";
      const items = new Map(own.map(({ topic }, at) => [topic, [`first of ${topic} ${at}`, `${long} ${at}`, "last"]]));
      const once = readAnswer(recordText(items, own), own).items;
      expect(readAnswer(recordText(once, own), own).items).toEqual(once);
      expect([...once.values()].flat().join("\n")).toContain("- the pipe\n  - closed");
    },
  );

  it("is read in linear time, whatever it holds", () => {
    const time = (text: string): number => processorMs(() => readAnswer(text, asked));
    const pieces = [
      "#",
      "*",
      "- ",
      "**a",
      "1.",
      "\n- x",
      "<think>",
      "```a\n",
      "```\n",
      "```a\n## Goal\n",
      "\n# a",
      "**a**\n",
    ];
    for (const piece of [...pieces, "  ", ":", "(", "|a|\n", "- - "]) {
      const small = piece.repeat(Math.ceil(10_000 / piece.length));
      time(small);
      expect(time(small.repeat(8))).toBeLessThan(time(small) * 80 + 150);
    }
  });
});

const DECIDED = "- 240 rows a batch, because of timeouts.";
const inDecisions = (lines: string): string =>
  `## Goal\n- Ship it.\n\n## Key Decisions\n${lines}\n\n## Remaining Work\n- Tests.`;

describe("what stands in a section", () => {
  it.each<readonly [kind: string, lines: string, items: readonly string[]]>([
    ["a heading in a deeper one", "### Export\n#### Writer\n- Flushes.", ["### Export\n#### Writer\n- Flushes."]],
    ["a heading in bold and marked", "### **Export**\n1. Flushes.", ["### **Export**\n1. Flushes."]],
    ["a heading without anything below", `${DECIDED}\n### Later`, [DECIDED.slice(2), "### Later"]],
    ["a heading with a value", "### `BATCH=240` (was 500)\nLess load.", ["### `BATCH=240` (was 500)\nLess load."]],
    ["a bold line", `**The size of a batch**\n${DECIDED}`, [`**The size of a batch**\n${DECIDED}`]],
    [
      "the name of a file in bold",
      "**parse.go**\n- Reads.\n\n**write.go**\n- Writes.",
      ["**parse.go**\n- Reads.", "**write.go**\n- Writes."],
    ],
    ["a bold line between items", "- One.\n**Two**\n- Three.", ["One.", "**Two**\n- Three."]],
    ["a bold item", "- **Two**\n  Because.\n- **Three:** so.", ["**Two**\nBecause.", "**Three:** so."]],
    [
      "a bold beginning",
      "**Batches** are small.\n\n**Pages** are not.",
      ["**Batches** are small.", "**Pages** are not."],
    ],
    ["a bold line with underscores", "__Batches__\nSmall.", ["__Batches__\nSmall."]],
    [
      "a comment in code",
      `- Run:\n  \`\`\`sh\n  # all of them\n  npm test\n  \`\`\`\n${DECIDED}`,
      ["Run:\n```sh\n# all of them\nnpm test\n```", DECIDED.slice(2)],
    ],
    [
      "a heading in code",
      `\`\`\`md\n## Blocked\n- no\n\`\`\`\n\n${DECIDED}`,
      ["```md\n## Blocked\n- no\n```", DECIDED.slice(2)],
    ],
    ["code with blank lines", "```py\n# one\n\nx = 1\n```", ["```py\n# one\n\nx = 1\n```"]],
    ["code between waves", "~~~\n# one\n```\n~~~", ["~~~\n# one\n```\n~~~"]],
    ["code after an item that introduces it", "- Run:\n\n```\n# all\n```", ["Run:\n```\n# all\n```"]],
    ["code in the mark's own line", "- ```sh\n  # all\n  ```\n- b", ["```sh\n# all\n```", "b"]],
    ["code that is not closed", "```sh\n# all\nnpm test", ["```sh\n# all\nnpm test\n```"]],
    ["a nested list", "- a\n  - b\n    - c\n  - d\n- e", ["a\n- b\n  - c\n- d", "e"]],
    ["a list nested by four", "- a\n    - b\n- c", ["a\n  - b", "c"]],
    ["a list nested by a tab", "- a\n\t- b\n- c", ["a\n\t- b", "c"]],
    ["a list nested in numbers", "1. a\n   - b\n   - c\n2. d", ["a\n- b\n- c", "d"]],
    ["an indented list", "  - a\n    - b\n  - c", ["a\n- b", "c"]],
    ["a list with gaps", "- a\n\n  more of a\n\n- b\n\n  - c", ["a\nmore of a", "b\n- c"]],
    [
      "a list that is introduced",
      "Not to be changed:\n\n- a\n- b\n\nAll else is.",
      ["Not to be changed:\n- a\n- b", "All else is."],
    ],
    ["a table", "| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |\n|---|---|\n| 1 | 2 |"]],
    ["a table after a sentence", "The rows:\n\n| a |\n|---|\n| 1 |", ["The rows:\n| a |\n|---|\n| 1 |"]],
    ["a table between items", "- x\n\n| a |\n|---|\n\n- y", ["x", "| a |\n|---|", "y"]],
    ["a table in an item", "- x\n  | a |\n  |---|\n- y", ["x\n| a |\n|---|", "y"]],
    ["a table under a heading", "### Rows\n\n| a |\n|---|", ["### Rows\n| a |\n|---|"]],
    ["a number with a hash", "#123 is fixed.\n\n- # of rows: 12", ["#123 is fixed.", "# of rows: 12"]],
    [
      "short forms of names",
      "- Reverted by 4be91d7; `TotalsBanner` stays.",
      ["Reverted by 4be91d7; `TotalsBanner` stays."],
    ],
  ])("%s", (_, lines, items) => {
    const read = readAnswer(inDecisions(lines), asked).items;
    expect(read.get("decisions")).toEqual(items);
    expect(read.get("goal")).toEqual(["Ship it."]);
    if (!lines.startsWith("```sh")) expect(read.get("remaining")).toEqual(["Tests."]);
  });
});

describe("what stands before the first heading", () => {
  it.each([
    ["a sentence", "The export broke off.", ["The export broke off."]],
    ["not a greeting", "Here it is:", undefined],
    ["not a greeting before a title", "Here it is:\n\n# Session", ["# Session"]],
    ["a title", "# Record of the session", ["# Record of the session"]],
    ["a list", "- one\n- two", ["one", "two"]],
    ["code", "```sh\n# all\nnpm test\n```", ["```sh\n# all\nnpm test\n```"]],
    ["a table", "| a |\n|---|", ["| a |\n|---|"]],
  ])("is context: %s", (_, lead, items) => expect(itemsOf(`${lead}\n\n${PLAIN}`, "context")).toEqual(items));

  it.each([NINE_SECTIONS, FOUR_SECTIONS])(
    "is in a section that is handed on where none is asked for context",
    (...all) => {
      const own = askedOf(all as typeof NINE_SECTIONS);
      const { items } = readAnswer("All of it broke off.", own);
      expect(recordText(items, own)).toContain("All of it broke off.");
    },
  );
});

const headed = (heading: string, item: string): string => `## Goal\n- Ship it.\n\n## ${heading}\n- ${item}`;

describe("a heading that is not one of those asked for", () => {
  it.each([
    ["Unresolved Questions", THIRTEEN_SECTIONS],
    ["Incomplete Actions", THIRTEEN_SECTIONS],
    ["Non-Blocked", THIRTEEN_SECTIONS],
    ["Completed Action", THIRTEEN_SECTIONS],
    ["未完成的操作", thirteenSections("zh")],
    ["Unerledigte Schritte", thirteenSections("de")],
  ] as const)("keeps its section apart: %s", (heading, template) => {
    const own = askedOf(template);
    const goal = own.find(({ topic }) => topic === "goal")!.heading;
    const { items } = readAnswer(headed(heading, "The flag.").replace("Goal", goal), own);
    expect(items).toEqual(
      new Map([
        ["context", [`## ${heading}\n- The flag.`]],
        ["goal", ["Ship it."]],
      ]),
    );
  });

  it("ends the section above it where it is as high, and not where it is deeper or a comment", () => {
    const text =
      "## Constraints & Preferences\n- a\n### Of the API\n- b\n# run the linter\n- c\n## Open Questions\n- d";
    const { items } = readAnswer(text, asked);
    expect(items.get("constraints")).toEqual(["a", "### Of the API\n- b", "# run the linter\n- c"]);
    expect(items.get("context")).toEqual(["## Open Questions\n- d"]);
  });
});

it("takes bold words for text where headings are marked", () => {
  const text = "## Completed Actions\n1. **Goal:** the first step\n2. **Blocked:** no more\n## Key Decisions\n- one";
  const { items } = readAnswer(text, asked);
  expect(items.get("actions")).toEqual(["**Goal:** the first step", "**Blocked:** no more"]);
  expect(items.get("goal")).toBeUndefined();
});

it("says the same once in a section, and different things that begin alike both", () => {
  const long = "The importer reads rows in batches of a size that the configuration sets, and ".repeat(3);
  const text = `## Key Decisions\n- ${long}a.\n- ${long}b.\n- ${long}a.\n## Active State\n- Checks: one\n- Checks: two\n- ${long}a.`;
  const { items } = readAnswer(text, asked);
  expect(items.get("decisions")).toEqual([`${long}a.`, `${long}b.`]);
  expect(items.get("state")).toEqual(["Checks: one", "Checks: two", `${long}a.`]);
});

/** Words that no heading and no empty marker has. */
const words = fc
  .string({ unit: fc.constantFrom(..."qxzé7語ъ ".split("")), minLength: 1, maxLength: 30 })
  .map((text) => `w${text.trim()}`);
const line = fc.oneof(
  words,
  fc.constantFrom("", "", "---", "None"),
  fc
    .tuple(fc.constantFrom("- ", "* ", "1. ", "  - ", "    - ", "\t", "  ", "#### ", "### ", "# "), words)
    .map(([mark, text]) => mark + text),
  words.map((text) => `**${text}**`),
  words.map((text) => `**${text}:** ${text}`),
  words.map((text) => `| ${text} | ${text} |\n|---|---|`),
  words.map((text) => `${text}:`),
  fc.array(words, { maxLength: 4 }).map((code) => ["```sh", "# comment", "## Goal", "", ...code, "```"].join("\n")),
  fc.array(words, { maxLength: 2 }).map((code) => ["  ~~~", ...code, "  ~~~"].join("\n")),
);
const bodies = fc.array(line, { maxLength: 12 }).map((all) => all.join("\n"));
const answers = fc
  .tuple(
    bodies,
    fc.shuffledSubarray(asked as (typeof asked)[number][]),
    fc.array(bodies, { minLength: 13, maxLength: 13 }),
  )
  .map(([lead, sections, texts]) => ({
    lead,
    sections: sections
      .filter(({ topic }) => topic !== "context")
      .map(({ topic, heading, level }, at) => ({
        topic,
        heading: `${"#".repeat(level)} ${heading}`,
        text: texts[at]!,
      })),
  }));
/** A line without the marks of lists and headings. */
const bare = (text: string): string =>
  text
    .trim()
    .replace(/^(?:[-*] |1\. |#{1,4} )/, "")
    .replace(/^\*\*([^*]+)\*\*$/, "$1")
    .trim();
const telling = (text: string): readonly string[] =>
  text
    .split("\n")
    .map(bare)
    .filter((one) => !["", "---", "None"].includes(one));
const once = (lines: readonly string[]): readonly string[] => [...new Set(lines)];

it("has every line of it, in its section and in order", () => {
  fc.assert(
    fc.property(answers, ({ lead, sections }) => {
      // A line with a colon is a greeting where it is all that comes first.
      const text = ["w", lead, ...sections.flatMap(({ heading, text: own }) => [heading, own])].join("\n");
      const { items } = readAnswer(text, asked);
      expect(once(telling((items.get("context") ?? []).join("\n")))).toEqual(once(["w", ...telling(lead)]));
      for (const { topic, text: own } of sections)
        expect(once(telling(items.get(topic)!.join("\n")))).toEqual(once(telling(own)));
    }),
    { numRuns: RUNS },
  );
});
