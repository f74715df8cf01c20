/** A text in as much room as it gets: whole sentences of its head and its tail, or nothing. */
import { describe, expect, it } from "vitest";
import {
  isInSentences,
  linesBody,
  proseBody,
  sectionsBody,
  sentencesWithin,
} from "../../../../src/core/handoff/turns/shape.ts";
import { createWriter } from "../../../../src/core/handoff/turns/lengths.ts";
import { line as lineOf } from "../../../../src/core/handoff/turns/line.ts";
import { createMeasure } from "../../../../src/core/transcript/measure.ts";
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

describe("sentences of a text of one line", () => {
  it.each([
    ["en", "The host is sftp.example.com, port 2222. The key is below /etc/keys. Keep it out of the repository!", 80],
    ["de", "Der Server ist sftp.example.at, Port 2222. Der Key liegt unter /etc/keys. Nicht ins Repo damit!", 80],
    [
      "ja",
      "本番に触らないルールは今日のメンテ中だけ解除です。メンテ中は stock_lock テーブルの削除だけやっていいです。それ以外はダメ。",
      46,
    ],
    ["zh", "注意不要动 services/billing，那是别的组的代码！密码哈希 argon2 不要换。测试全部跑一遍，再提交。", 50],
  ])("are its first and its last where they fit, in %s", (_, text, chars) => {
    const told = sentencesWithin(text, chars);
    const all = text.split(/(?<=[.!?] )|(?<=[。！？])/);
    expect(told).toBe(`${all[0]!.trim()}\n[…]\n${all.at(-1)!}`);
    expect(told.length).toBeLessThanOrEqual(chars);
  });

  it("are what a line tells that is promised to somebody in little room", () => {
    const body = proseBody(
      "Move the host to port 2222 of the other one. The key is below /etc/keys. Keep it out of Git!",
    );
    const promised = {
      ...lineOf("request", 0, { lead: "User: ", body }),
      share: 1,
      about: true,
      order: 1,
      charsMax: Infinity,
    };
    const { text } = createWriter(createMeasure())(promised)(80, true);
    expect(text).toBe("User: Move the host to port 2222 of the other one.\n[…]\nKeep it out of Git!");
  });

  it("give way to its first words where none fits, cut between words in any script", () => {
    expect(sentencesWithin("The host and the port and the key and the user and the folder.", 40)).toBe(
      "The host and the port and the key […]",
    );
    const text = "今日の夜のメンテナンスの間は stock_lock テーブルの削除だけを、それ以外は何もやらないでください。";
    expect(sentencesWithin(text, 40)).toMatch(/^今日の夜のメンテナンスの間は stock_lock テーブルの\S+ \[…\]$/);
  });

  it("are never torn, and are found in linear time", () => {
    for (let chars = 90; chars < 600; chars += 7)
      for (const part of sentencesWithin(SENTENCES, chars).split("\n[…]\n")) expect(part).toMatch(/^Sentence.*\.$/s);
    expectLinear(20_000, (size) => {
      const text = "One more thing is said here. ".repeat(size);
      return () => sentencesWithin(text, 400);
    });
  });
});

it("keeps the last piece before further ones of the beginning", () => {
  const text = `${"A first thing that is said. ".repeat(7)}\n${"- One more item of the list.\n".repeat(6)}And never push to main before the review of the whole branch is over, whoever asks for it.`;
  for (let chars = 140; chars < text.length; chars += 10)
    expect(proseBody(text).within(chars)).toMatch(/whoever asks for it\.$/);
});

describe("a text whose end says nothing", () => {
  it.each([120, 200, 400])("keeps of its beginning what fits %i characters", (chars) => {
    const told = proseBody(SENTENCES, undefined, { hasEnd: false }).within(chars);
    expect(told).toMatch(/^Sentence number 0 [^]*\n\[…\]$/);
  });

  it("opens with its first sentence, even where that takes all of the room", () => {
    const first = `The importer reads ${"every single record of ".repeat(5)}the file.`;
    for (const hasEnd of [true, false])
      expect(proseBody(`${first}\n${SENTENCES}`, undefined, { hasEnd }).within(first.length + 30)).toContain(first);
  });
});

describe("a summary of sections", () => {
  const TITLES = ["Request", "Files", "Errors", "Messages", "Next step"];
  const summary = TITLES.map((title, at) => `${title}: the part ${at} begins here. ${SENTENCES}`).join("\n\n");

  it.each([600, 1_200, 3_000])("keeps of each as much as of the others in %i characters", (chars) => {
    const told = sectionsBody(summary).within(chars);
    expect(told.length).toBeLessThanOrEqual(chars);
    for (const [at, title] of TITLES.entries()) expect(told).toContain(`${title}: the part ${at} begins here.`);
    const lengths = told.split("\n\n").map(({ length }) => length);
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(100);
    expect(sectionsBody(told).within(chars)).toBe(told);
  });

  it("is a text with a head and a tail where there is not room for all sections", () => {
    expect(sectionsBody(summary).within(150)).toMatch(/^Request: the part 0 begins here\.[^]*one more thing\.$/);
  });

  it("is cut in linear time", () => {
    expectLinear(4_000, (size) => {
      const text = "A section says so much in one line.\n\n".repeat(size);
      return () => sectionsBody(text).within(size * 10);
    });
  });
});

describe("sentences", () => {
  it.each([
    ["The parser skips the header. It then reads each row until the end.", true],
    ["解析器先跳过文件的标题行，然后逐行读取所有数据，直到文件结束为止。", true],
    ["Der Parser überspringt die Kopfzeile.\n\n- Danach liest er jede Zeile bis zum Ende.", true],
    ["MAPS\nNEWS\nMORE\nTOOLS\nSign in", false],
    ["- 1 Yr: 12.65%\n- 3 Yrs: -3.04%\n- 10 Yrs: 5.81%\nSearch", false],
    ["2026-01-02 INFO start\n2026-01-02 INFO worker 1 is up\n2026-01-02 INFO stop", false],
  ])("%j: %j", (text, expected) => {
    expect(isInSentences(text)).toBe(expected);
  });

  it("are looked for in linear time", () => {
    expectLinear(100_000, (size) => {
      const text = `a.)${")".repeat(size)} `.repeat(2);
      return () => isInSentences(text);
    });
  });
});

describe("lines", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `const value${at} = ${at};`);
  it.each([40, 80, 120, 200, 300])("in %i characters are the first ones, with how many are left out", (chars) => {
    const told = linesBody(lines).within(chars).split("\n");
    if (told[0] === "") return;
    expect(told.join("\n").length).toBeLessThanOrEqual(chars);
    expect(told.slice(0, -1)).toEqual(lines.slice(0, told.length - 1).map((line) => `  + ${line}`));
    expect(told.at(-1)).toBe("  + […]");
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
  ])("never leaves a head that ends with %j", (lead) => {
    const body = proseBody(`It begins here.\n${list(lead)}`);
    for (let chars = 60; chars < 900; chars += 7) {
      const head = body.within(chars).split("\n[…]")[0]!;
      if (head !== "" && head !== "[…]") expect(head.split("\n").at(-1)).not.toBe(lead);
    }
  });

  it("keeps what the text opens with beside its end, or tells neither: it may take back what follows", () => {
    const [opening, end] = ["No, that is wrong, and here is what I measured:", "The total of all shops is 956 plums."];
    const body = proseBody(
      [opening, ...Array.from({ length: 20 }, (_, at) => `- shop ${at} has ${at} plums`), "", end].join("\n"),
    );
    expect(body.within(95)).toBe(`${opening}\n[…]\n${end}`);
    for (let chars = 40; chars < 400; chars += 7)
      if (body.within(chars).includes(end)) expect(body.within(chars)).toContain(opening);
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
