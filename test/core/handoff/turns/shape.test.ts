/** A text in as much room as it gets: whole sentences of its head and its tail, or nothing. */
import { describe, expect, it } from "vitest";
import { linesBody, proseBody } from "../../../../src/core/handoff/turns/shape.ts";
import { expectLinear } from "../../../support/linear.ts";

const SENTENCES = Array.from({ length: 30 }, (_, at) => `Sentence number ${at} says one more thing. `).join("");

describe("prose", () => {
  it.each([60, 100, 200, 400, 800, 1_200])("of %i characters is within them, in whole sentences", (chars) => {
    const told = proseBody(SENTENCES).within(chars);
    expect(told.length).toBeLessThanOrEqual(chars);
    for (const part of told.split("\n").filter((line) => line !== "" && line !== "[…]"))
      expect(part).toMatch(/^Sentence.*\.$/);
  });

  it.each([0, 10, 20, 40, 59])("of a stub's %i characters is nothing", (chars) => {
    expect(proseBody(SENTENCES).within(chars)).toBe("");
  });

  it.each(["ok", "Never push to main.", "不要修改数据库结构。", "a\nb", "- one\n- two"])(
    "is whole where it fits: %j",
    (text) => {
      expect(proseBody(text).within(text.length)).toBe(text);
    },
  );

  it("keeps its first and its last sentence, and no secret", () => {
    const text = `Start here with the importer. ${SENTENCES}The key is sk-1234.`;
    const told = proseBody(text, (given) => given.replaceAll("sk-1234", "[secret]")).within(300);
    expect(told).toMatch(/^Start here with the importer\./);
    expect(told).toMatch(/The key is \[secret\]\.$/);
  });
});

describe("lines", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `const value${at} = ${at};`);
  it.each([40, 80, 120, 200, 300])("in %i characters are the first ones, with how many are left out", (chars) => {
    const told = linesBody(lines, "  + ").within(chars).split("\n");
    if (told[0] === "") return;
    expect(told.join("\n").length).toBeLessThanOrEqual(chars);
    expect(told.slice(0, -1)).toEqual(lines.slice(0, told.length - 1).map((line) => `  + ${line}`));
    expect(told.at(-1)).toBe(`  + [… ${lines.length - told.length + 1} more lines]`);
  });
});

describe("where a text is cut", () => {
  const list = (lead: string): string =>
    Array.from({ length: 40 }, (_, at) => `${lead}\n- The item number ${at} says what is to be done.\n`).join("");

  it.each([
    "## Steps",
    "### 手順",
    "**Findings**",
    "**Befunde:**",
    "These are the steps:",
    "接下来的步骤：",
    "Voici la suite :",
    "---",
    "```",
  ])("never leaves a head that ends with %j", (lead) => {
    const body = proseBody(list(lead));
    for (let chars = 60; chars < 900; chars += 7) {
      const head = body.within(chars).split("\n[…]")[0]!;
      if (head !== "" && head !== "[…]") expect(head.split("\n").at(-1)).not.toBe(lead);
    }
  });

  it.each([
    ["Chinese", "第一步检查总数。第二步检查列表。第三步发布新的版本。", /。$/],
    ["Japanese", "合計を確認します。一覧を確認します。新しい版を公開します。", /。$/],
    ["Korean", "합계를 확인합니다. 목록을 확인합니다. 새 판을 냅니다. ", /다\.$/],
    ["German", "Zuerst die Summen prüfen. Dann die Liste prüfen. Zuletzt ausliefern. ", /\.$/],
    ["Russian", "Сначала проверить суммы. Потом проверить список. Затем выпустить. ", /\.$/],
  ])("is between sentences of %s", (_, sentences, whole) => {
    const body = proseBody(sentences.repeat(30));
    for (const chars of [80, 150, 300, 500]) {
      const parts = body
        .within(chars)
        .split("\n")
        .filter((part) => part !== "" && part !== "[…]");
      for (const part of parts) expect(part).toMatch(whole);
    }
  });

  it("leaves no stub", () => {
    const body = proseBody("word ".repeat(400));
    for (let chars = 0; chars < 60; chars++) expect(body.within(chars)).toBe("");
  });

  it.each([" ", "\n", "#", "[", "` ", "'", "x", "。", "# a\n", "- \n", "a:\n", "{", "**"])(
    "is linear work where it is 200,000 characters of %j",
    (unit) => {
      expectLinear(200_000, (size) => {
        const text = unit.repeat(Math.floor(size / unit.length));
        return () => [60, 500, 5_000].map((chars) => proseBody(`${text}.`).within(chars));
      });
    },
  );
});
