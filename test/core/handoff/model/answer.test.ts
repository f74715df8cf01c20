/** Answers as models write them: whatever headings, lists, tables and code they use, every line of them stands, in its order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../../../src/core/handoff/model/answer.ts";
import { askedOf, recordText } from "../../../../src/core/handoff/model/asked.ts";
import { FOUR_SECTIONS } from "../../../../src/core/handoff/four-sections.ts";
import { NINE_SECTIONS, SEVEN_SECTIONS, THIRTEEN_SECTIONS } from "../../../../src/core/handoff/templates.ts";
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
    ["with headings on plain lines", PLAIN.replace(/^## (.+)$/gm, "$1:")],
    [
      "with headings respelled a little",
      PLAIN.replace("Completed Actions", "Completed Action").replace("## Goal", "## Goals (overall)"),
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
    [
      "a section that nobody asked for",
      `${DECIDED}\n\n## Root Cause\n- The pipe.`,
      [DECIDED.slice(2), "**Root Cause**\n- The pipe."],
    ],
    ["two of them", "## Risks\n- Load.\n## Ideas\nA queue.", ["**Risks**\n- Load.", "**Ideas**\nA queue."]],
    ["a heading in a deeper one", "### Export\n#### Writer\n- Flushes.", ["**Export**\n**Writer**\n- Flushes."]],
    ["a heading in bold and marked", "### **Export**\n1. Flushes.", ["**Export**\n1. Flushes."]],
    ["a heading without anything below", `${DECIDED}\n### Later`, [DECIDED.slice(2), "**Later**"]],
    ["a heading with a value", "### `BATCH=240` (was 500)\nLess load.", ["**`BATCH=240` (was 500)**\nLess load."]],
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
    ["a table under a heading", "### Rows\n\n| a |\n|---|", ["**Rows**\n| a |\n|---|"]],
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
    ["a greeting", "Here it is:", ["Here it is:"]],
    ["a title", "# Record of the session", ["**Record of the session**"]],
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

const TRANSLATED: Readonly<Record<string, readonly string[]>> = {
  German: [
    "Aktuelle Aufgabe",
    "Ziel",
    "Vorgaben",
    "Erledigte Schritte",
    "Stand",
    "In Arbeit",
    "Hindernisse",
    "Entscheidungen",
    "Geklärte Fragen",
    "Offene Bitten",
    "Dateien",
    "Verbleibende Arbeit",
    "Wichtiges",
  ],
  Japanese: [
    "現在のタスク",
    "目標",
    "制約と好み",
    "完了した作業",
    "現在の状態",
    "進行中",
    "障害",
    "主要な決定",
    "解決した質問",
    "未回答の依頼",
    "関連ファイル",
    "残りの作業",
    "重要な文脈",
  ],
  Chinese: [
    "当前任务",
    "目标",
    "约束与偏好",
    "已完成的操作",
    "当前状态",
    "进行中",
    "阻碍",
    "关键决定",
    "已解决的问题",
    "待回答的请求",
    "相关文件",
    "剩余工作",
    "关键背景",
  ],
  French: [
    "Tâche en cours",
    "But",
    "Contraintes",
    "Actions terminées",
    "État actuel",
    "En cours",
    "Blocages",
    "Décisions",
    "Questions résolues",
    "Demandes en attente",
    "Fichiers",
    "Travail restant",
    "Contexte",
  ],
  Korean: [
    "현재 작업",
    "목표",
    "제약",
    "완료한 작업",
    "현재 상태",
    "진행 중",
    "막힌 것",
    "주요 결정",
    "해결된 질문",
    "대기 중인 요청",
    "관련 파일",
    "남은 작업",
    "중요한 맥락",
  ],
};

describe.each(Object.entries(TRANSLATED))("headings in %s", (_, headings) => {
  it.each<readonly [string, (heading: string, at: number) => string]>([
    ["marked", (heading) => `## ${heading}`],
    ["in bold", (heading) => `**${heading}**`],
    ["numbered", (heading, at) => `## ${at + 1}. ${heading}`],
    ["with sub-headings below", (heading) => `## ${heading}\n### x1`],
    ["some of them as asked", (heading, at) => `## ${at < 3 ? asked[at]!.heading : heading}`],
    ["with the heading as it was given", (heading, at) => `## ${heading} (${asked[at]!.heading})`],
  ])("%s are known by their places", (_kind, written) => {
    const text = headings.map((heading, at) => `${written(heading, at)}\n- item ${at}`).join("\n\n");
    const { items, headings: count } = readAnswer(text, asked);
    expect(count).toBe(asked.length);
    asked.forEach(({ topic }, at) => expect(items.get(topic)!.join("\n")).toContain(`item ${at}`));
    expect([...items.values()].flat().join("\n")).not.toContain(headings.at(-1));
  });

  it("stand as lines where one is missing", () => {
    const text = headings.slice(1).map((heading, at) => `## ${heading}\n- item ${at}`);
    const { items, headings: count } = readAnswer(text.join("\n\n"), asked);
    expect(count).toBe(0);
    expect(items.get("context")).toEqual(headings.slice(1).map((heading, at) => `**${heading}**\n- item ${at}`));
  });
});

/** Words that no heading and no empty marker has. */
const words = fc
  .string({ unit: fc.constantFrom(..."qxzé7語ъ ".split("")), minLength: 1, maxLength: 30 })
  .map((text) => `w${text.trim()}`);
const line = fc.oneof(
  words,
  fc.constantFrom("", "", "---", "None"),
  fc
    .tuple(fc.constantFrom("- ", "* ", "1. ", "  - ", "    - ", "\t", "  ", "## ", "### ", "# "), words)
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
    .replace(/^(?:[-*] |1\. |#{1,3} )/, "")
    .replace(/^\*\*([^*]+)\*\*$/, "$1")
    .trim();
const telling = (text: string): readonly string[] =>
  text
    .split("\n")
    .map(bare)
    .filter((one) => !["", "---", "None"].includes(one));

it("has every line of it, in its section and in order", () => {
  fc.assert(
    fc.property(answers, ({ lead, sections }) => {
      const text = [lead, ...sections.flatMap(({ heading, text: own }) => [heading, own])].join("\n");
      const { items } = readAnswer(text, asked);
      expect(telling((items.get("context") ?? []).join("\n"))).toEqual(telling(lead));
      for (const { topic, text: own } of sections) expect(telling(items.get(topic)!.join("\n"))).toEqual(telling(own));
    }),
    { numRuns: RUNS },
  );
});
