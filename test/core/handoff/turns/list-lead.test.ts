/** What a line stands in: an item of a list, a row of a table, a line of code. */
import { describe, expect, it } from "vitest";
import { leadAt, leadsOf, unitsOf } from "../../../../src/core/handoff/turns/list-lead.ts";
import { proseBody } from "../../../../src/core/handoff/turns/shape.ts";
import { expectLinear } from "../../../support/linear.ts";

const LINES = [
  "What was given:",
  "- the shelf holds plums",
  "  and pears",
  "- the lot is empty",
  "",
  "2. What was guessed",
  "- nobody comes in May",
  "   - nor in June",
  "Das war alles.",
];

describe("what a line stands under", () => {
  it.each([
    [1, 0],
    [3, 0],
    [6, 5],
    [7, 6],
    [0, -1],
    [2, -1],
    [8, -1],
  ])("is of line %i line %i", (at, lead) => {
    expect(leadAt(LINES, at)).toBe(lead);
  });
});

it("is of an item within an item also what that stands under", () => {
  expect(leadsOf(LINES, 7)).toEqual([6, 5]);
  expect(leadsOf(LINES, 1)).toEqual([0]);
  expect(leadsOf(LINES, 8)).toEqual([]);
});

it("is of a row, and of a list that a sentence leads in to, also the heading above", () => {
  const page = [
    "## Approved",
    "- chairs",
    "",
    "## Rejected",
    "These are too dear:",
    "| item | price |",
    "|---|---|",
    "| sofa | 900 |",
    "- lamps",
  ];
  expect(leadsOf(page, 7)).toEqual([5, 3]);
  expect(leadsOf(page, 5)).toEqual([3]);
  expect(leadsOf([...page.slice(0, 5), "- lamps"], 5)).toEqual([4, 3]);
});

it("tells the end of a list below all that it stands under", () => {
  const done = Array.from({ length: 12 }, (_, at) => `- Punkt ${at} ist umgesetzt und liegt auf dem Zweig bereit.`);
  const text = [
    "Umgesetzt",
    ...done,
    "",
    "Nächste Schritte",
    "- Tests lokal ausführen:",
    "  - python manage.py makemigrations",
    "  - python manage.py migrate",
    "  - pytest -q",
  ].join("\n");
  for (let chars = 200; chars < text.length; chars += 20) {
    const told = proseBody(text).within(chars);
    if (told.includes("pytest")) expect(told).toMatch(/Nächste Schritte\n(?:.*\n)*- Tests lokal/);
  }
  expect(proseBody(text).within(300)).toContain("pytest");
});

describe("a text that is cut", () => {
  const rejected = "Nicht gewählt wurde dieser Plan:";
  const text = [
    "Drei Wege sind möglich, und jeder hat seinen Preis.",
    ...Array.from(
      { length: 12 },
      (_, at) => `Absatz ${at} sagt noch mehr über den ersten Weg und warum er so lang ist.`,
    ),
    rejected,
    "- er ist einfach und schnell gebaut",
    "- er braucht keine neue Tabelle",
  ].join("\n");

  it.each(Array.from({ length: 40 }, (_, at) => 80 + at * 20))(
    "holds in %i characters no item without its heading",
    (chars) => {
      const told = proseBody(text).within(chars);
      expect(told.length).toBeLessThanOrEqual(chars);
      if (/^- er/m.test(told)) expect(told).toContain(rejected);
    },
  );

  it("takes time in proportion to its length, however long a list", () => {
    expectLinear(100_000, (chars) => () => proseBody("- ab\n".repeat(chars / 5)).within(2_000));
  });
});

describe("a table", () => {
  const rows = [
    "Alle Läden:",
    "| Laden | Pflaumen |",
    "| --- | --- |",
    "| Nord | 3 |",
    "| Süd | 4 |",
    "Das war alles.",
  ];

  it("gives each row its first", () => {
    expect([...rows.keys()].map((at) => leadAt(rows, at))).toEqual([-1, -1, 1, 1, 1, -1]);
  });

  it.each(Array.from({ length: 30 }, (_, at) => 80 + at * 10))("that is cut to %i characters keeps it", (chars) => {
    const filler = Array.from({ length: 8 }, (_, at) => `Absatz ${at} sagt mehr über den Weg und seinen Preis.`);
    const told = proseBody(["Drei Wege sind möglich.", ...filler, ...rows.slice(1, 5)].join("\n")).within(chars);
    if (told.includes("| Süd")) expect(told).toContain("| Laden | Pflaumen |");
  });
});

describe("a block of code", () => {
  const code = "```ts\nconst plums = 3;\n\nconst pears = 4;\n```";
  const text = `It stands here.\n${"More is said of it in one line. ".repeat(3)}\n${code}\nThat is the whole of it.`;

  it("is one unit, also where nothing ends it", () => {
    expect(unitsOf(["a", "```", "b", "```", "c"])).toEqual([
      { start: 0, end: 1 },
      { start: 1, end: 4 },
      { start: 4, end: 5 },
    ]);
    expect(unitsOf(["```", "b"])).toEqual([{ start: 0, end: 2 }]);
  });

  it.each(Array.from({ length: 24 }, (_, at) => 40 + at * 10))(
    "is told whole or not at all in %i characters",
    (chars) => {
      const told = proseBody(text).within(chars);
      expect(told.includes("plums")).toBe(told.includes(code));
    },
  );
});
