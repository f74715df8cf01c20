/** The record of turns: within its room, the first request and the newest turns first, and a focus before the rest. */
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../../src/core/events/events.ts";
import type { LineKind } from "../../../../src/core/handoff/turns/line.ts";
import { isTalkAlone } from "../../../../src/core/handoff/turns/peoples-words.ts";
import { recordOf, type RecordRequest, type SessionRecord } from "../../../../src/core/handoff/turns/record.ts";
import type { Message } from "../../../../src/core/transcript/message.ts";
import { edits, reads, says, user } from "../../events/session-talk.ts";
import { measure } from "../requests.ts";

const FIRST = "Build a shop with a cart.";
const messages = [
  user(FIRST),
  says("I begin."),
  ...Array.from({ length: 60 }, (_, at) => [
    user(`Now add the feature number ${at + 100} to the ${at % 2 === 0 ? "cart" : "footer"}, with a page of its own.`),
    ...edits(`src/feature-${at + 100}.ts`, "one", `feature ${at + 100}`),
    says(`The feature number ${at + 100} is there, with its page and with a test that I have seen fail.`),
  ]).flat(),
];

function turnsIn(all: readonly Message[], given: Partial<RecordRequest>): SessionRecord {
  return recordOf({
    events: eventsOf(all),
    from: 0,
    until: all.length,
    live: -1,
    measure,
    carried: [],
    carriedAt: -1,
    redact: (text) => text,
    shortened: (text) => text,
    isBeside: () => false,
    tellsRequests: true,
    running: new Set(),
    ...given,
  });
}

function told(
  tokensMax: number,
  given: Partial<RecordRequest> = {},
  aboutMax?: number,
  all: readonly Message[] = messages,
): string {
  return turnsIn(all, given)
    .within(tokensMax, aboutMax)
    .flatMap(({ texts }) => texts)
    .join("\n");
}

describe("a record", () => {
  it.each([300, 600, 1_000, 2_000, 4_000])(
    "of %i tokens is within them, and holds the first request and the newest turn",
    (tokens) => {
      const text = told(tokens);
      expect(measure.text(text)).toBeLessThanOrEqual(tokens);
      expect(text).toContain(`[1] User: ${FIRST}`);
      expect(text).toContain("feature number 159");
    },
  );

  it.each([300, 600, 1_000, 2_000, 4_000])("of %i tokens keeps the first request of an earlier record", (tokens) => {
    expect(told(tokens, { carried: ["[1] User: Write a blog first.\nAgent: Done."] })).toContain(
      "[1] User: Write a blog first.",
    );
  });

  it("goes on with the turn whose request stood below an earlier one", () => {
    const carried = ["User: Build a shop.\nAgent: Built.", "User: (the request that stands below)\n· Edit src/a.ts"];
    const all = [user("Now the cart, with all that is in it."), ...edits("src/b.ts"), says("The cart is there.")];
    const lines = told(2_000, { carried }, undefined, all).split("\n");
    expect(lines.slice(2)).toEqual([
      "[1] User: Now the cart, with all that is in it.",
      "· Edit src/a.ts",
      "· Edit src/b.ts",
      "  + b",
      "Agent: The cart is there.",
    ]);
    expect(turnsIn(all, { carried, live: 0 }).within(2_000)).toHaveLength(2);
  });

  it("tells what was kept in front of an earlier one before it, and what came behind it after", () => {
    const front = [user("Set the upload limit to three, please."), ...edits("src/a.ts")];
    const all = [
      ...front,
      user("[precis handoff 1]\n[end of precis handoff 1]"),
      ...edits("src/b.ts"),
      user("And then?"),
    ];
    const carried = ["User: No, make it five.\n· Edit src/a.ts"];
    const lines = told(2_000, { carried, carriedAt: front.length }, undefined, all).split("\n");
    const order = ["[1] User: Set", "User: No, make it five.", "· Edit src/b.ts", "User: And then?"];
    const places = order.map((opening) => lines.findIndex((one) => one.includes(opening)));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it.each([400, 600, 800, 1_000, 1_200])("of %i tokens gives a focus its part", (tokens) => {
    const lines = told(tokens, { matches: (text) => text.includes("footer") }, tokens * 0.6).split("\n");
    const count = (word: string): number => lines.filter((line) => line.includes(word)).length;
    expect(count("footer")).toBeGreaterThan(count("cart"));
  });

  it.each(["redact", "shortened"] as const)("lets every word pass through %s", (door) => {
    expect(told(1_000, { [door]: (text: string) => text.replaceAll("src/feature", "src/hidden") })).not.toContain(
      "src/feature",
    );
  });
});

describe("what is said again", () => {
  const answered = (...texts: readonly string[]): readonly Message[] =>
    texts.flatMap((text, at) => [user(text), ...edits(`src/${at}.ts`, "one", `two ${at}`)]);

  it.each([
    [["Go on.", "Go on.", "go on!"], "go on!", 1],
    [["继续。", "继续。", "继续"], "继续", 1],
    [["Add page 1.", "Add page 2."], "Add page", 2],
  ])("by a person in %j is told %3$d times", (texts, words, times) => {
    expect(told(2_000, {}, undefined, answered(...texts)).split(`User: ${words}`)).toHaveLength(times + 1);
  });

  it("by a person who sent it too early is told with the message that begins with it", () => {
    const early = "Print a message that says that the session is not the one that";
    const all = [
      user(early),
      user(`${early} was opened last.`),
      ...edits("src/1.ts"),
      user("1"),
      user("10 of them"),
      says("Yes."),
    ];
    expect(told(2_000, {}, undefined, all).split(`User: ${early}`)).toHaveLength(2);
    expect(told(2_000, {}, undefined, all)).toContain("User: 1\n");
  });

  it.each(["no", "b", "不"])("in few words is told with each question that it answers: %j", (word) => {
    const asked = (question: string, at: number): readonly Message[] => [
      says(question),
      user(word),
      ...edits(`src/${at}.ts`, "one", `two ${at}`),
    ];
    const all = [user("Clean up."), ...asked("Should I drop the table?", 1), ...asked("Rename the function too?", 2)];
    expect(told(2_000, {}, undefined, all).split(`User: ${word}`)).toHaveLength(3);
  });

  it.each([
    ["Book the night train.", ["How was the market? (1)", "Tell me of fjords. (2)", "Who bakes bread? (3)"]],
    ["预订夜间火车。", ["市场怎么样？（1）", "说说峡湾。（2）", "谁做面包？（3）"]],
  ])("many times goes before what was said once: %j", (once, again) => {
    const before = Array.from({ length: 30 }, () => again).flat();
    const all = [...before.slice(0, 45), once, ...before.slice(45)].map((text, at) => `${text} ${at}`);
    expect(told(400, {}, undefined, answered(...all))).toContain(once);
  });

  it.each([
    [
      110,
      ["The cap is 956 dollars in all.", "Answer in metric units only.", "Keep Aura's branch unpushed until Monday."],
      ["We talked of headers for the images.", "Retries wait a little longer each time.", "The draft is still open."],
    ],
    [
      100,
      ["总预算上限是九百五十六美元。", "回答只用公制单位。", "奥拉的分支周一之前不要推送。"],
      ["我们谈到图片的缓存头。", "重试每次多等一会儿。", "草稿仍然没有定稿。"],
    ],
  ])("word for word goes before older words that were said once, in %i tokens: %j", (tokens, rules, again) => {
    const all = [...rules, ...Array.from({ length: 10 }, () => again).flat()];
    const record = told(tokens, {}, undefined, answered(...all));
    for (const rule of rules) expect(record).toContain(rule);
  });

  it("is so in a talk below a system message, too, and not where anything was done", () => {
    const kinds = (...all: readonly LineKind[]): boolean => isTalkAlone(all.map((kind) => ({ kind })));
    expect(kinds("system", "request", "answer", "remark")).toBe(true);
    expect(kinds("system", "request", "deed", "answer")).toBe(false);
  });
});

it("names a file that was read, and none of its lines however much room there is", () => {
  const all = [
    user("Look at the parser."),
    ...reads("src/parser.ts", "const rows = read();\n".repeat(20)),
    ...edits("src/a.ts", "one", "two"),
  ];
  const text = told(4_000, {}, undefined, all);
  expect(text).toContain("looked at: src/parser.ts");
  expect(text).not.toContain("const rows");
});

describe("what a person pasted", () => {
  const paste = Array.from({ length: 600 }, (_, at) => `row ${at} of the log that was pasted here`).join("\n");
  const all = [
    ...messages.slice(0, 60),
    user(`Look at this log:\n${paste}`),
    ...edits("src/log.ts", "one", "two"),
    says("The log names the row 17."),
    ...messages.slice(60),
  ];

  it.each([500, 1_000, 2_000, 4_000, 8_000])("takes a bounded part of %i tokens", (tokens) => {
    const rows = told(tokens, {}, undefined, all)
      .split("\n")
      .filter((line) => line.startsWith("row "));
    expect(measure.text(rows.join("\n"))).toBeLessThanOrEqual(tokens * 0.15);
  });

  it("keeps its first words where there is room for any of it", () => {
    expect(told(8_000, {}, undefined, all)).toContain("User: Look at this log:");
  });
});

describe("a larger room", () => {
  it.each(["feature number 100 ", "feature number 120 ", "feature number 140 ", "feature number 155 "])(
    "never loses the request about the %s that a smaller one had",
    (words) => {
      let had = false;
      for (let tokens = 200; tokens <= 6_000; tokens = Math.ceil(tokens * 1.25)) {
        const has = told(tokens).includes(`User: Now add the ${words}`);
        expect(has || !had, `${tokens} tokens`).toBe(true);
        had ||= has;
      }
      expect(had).toBe(true);
    },
  );
});

describe("what people wrote, in a room too small for all of it", () => {
  const NUMBERS = Array.from({ length: 24 }, (_, at) => at + 100);
  /** Of one long sentence each. */
  const english = (at: number): string =>
    `In page ${at} the heading ${"has to stand above the picture and never below it because readers look there first ".repeat(8)}always`;
  const chinese = (at: number): string =>
    `第${at}页的标题${"必须放在图片上方而不是下方因为读者总是先看那里".repeat(12)}`;
  const worked = (texts: readonly string[]): readonly Message[] =>
    texts.flatMap((text, at) => [
      user(text),
      ...edits(`src/${at}.ts`, "one", `two ${at}`),
      says(`Page ${at} is done.`),
    ]);

  it.each([
    ["English", 2_000, english, /^.{100,}\S \[…\]$/],
    ["Chinese", 4_000, chinese, /^.{50,}[\p{sc=Han}] \[…\]$/u],
  ])("is there message by message, cut after a word: %s", (_, tokens, of, isCut) => {
    const lines = told(tokens, {}, undefined, worked([FIRST, ...NUMBERS.map(of), "Now check the links."])).split("\n");
    const found = NUMBERS.map((at) => lines.find((one) => one.includes(of(at).slice(0, 9))));
    expect(found).not.toContain(undefined);
    for (const line of found.slice(0, 12)) expect(line).toMatch(isCut);
  });

  it("leaves short messages whole, and cuts long ones", () => {
    const texts = NUMBERS.map((at) => (at % 2 === 0 ? english(at) : `The footer of page ${at} stays as it is.`));
    const lines = told(1_500, {}, undefined, worked([FIRST, ...texts, "Now check the links."])).split("\n");
    const found = texts.map((text) => lines.find((line) => line.includes(text.slice(0, 24))));
    expect(found).not.toContain(undefined);
    for (const [at, line] of found.slice(0, 6).entries())
      expect(line!.endsWith(at % 2 === 0 ? " […]" : texts[at]!)).toBe(true);
  });

  it("is there also where most of it comes from an earlier record", () => {
    const carried = NUMBERS.map((at) => `[${at}] User: ${english(at)}\nAgent: Done.`);
    const text = told(2_400, { carried }, undefined, worked(["Go on with the next page.", "Now check the links."]));
    for (const at of NUMBERS) expect(text).toContain(`User: In page ${at} the heading has`);
  });
});

it("tells every section of an earlier summary in its part, also from an earlier record", () => {
  const titles = ["Request", "Files", "Errors", "Messages", "Next step"];
  const summary = titles.map((title) => `${title}: this comes first. ${"Then one more thing is told. ".repeat(40)}`);
  const text = `[pi compaction summary]\n\n${summary.join("\n\n")}`;
  const once = told(1_000, {}, undefined, [user(text), ...messages.slice(0, 60)]);
  const again = told(1_000, { carried: [`Earlier summary: ${text}`] }, undefined, messages.slice(0, 60));
  for (const title of titles) {
    expect(once).toContain(`${title}: this comes first.`);
    expect(again).toContain(`${title}: this comes first.`);
  }
});

describe("what the agent said", () => {
  const pages = Array.from({ length: 24 }, (_, at) => at + 100);
  const asked = pages.flatMap((at) => [
    user(
      `How large is the picture that stands on the page with number ${at}, and is it one that the shop needs at all?`,
    ),
    ...edits(`src/page-${at}.ts`),
    says(`${at} kB, yes.`),
  ]);

  it.each([200, 300, 400, 600])("is not told in %i tokens without the request that it answers", (tokens) => {
    const text = told(tokens, {}, undefined, [
      user(FIRST),
      ...edits("src/shop.ts"),
      says("There is a shop."),
      ...asked,
    ]);
    const answers = [...text.matchAll(/^Agent: (\d+) kB/gm)].map(([, at]) => Number(at));
    for (const at of answers.filter((one) => one < pages.at(-3)!)) expect(text).toContain(`with number ${at}, `);
  });

  it("is under its request also where an earlier record ends between them", () => {
    const carried = ["User: How many orders are there?\n· count orders"];
    const [first] = turnsIn([says("There are 14 orders."), ...messages], { carried }).within(4_000);
    expect(first!.texts).toEqual([...carried[0]!.split("\n"), "Agent: There are 14 orders."]);
  });

  it("gives way where an earlier record lost its request", () => {
    const carried = ["User: Build a blog.\nAgent: It is built.", "Agent: 218 MB."];
    expect(told(4_000, { carried })).not.toContain("218 MB");
    expect(told(4_000, { carried })).toContain("It is built.");
  });
});

describe("a word that a person said time and again", () => {
  const steps = Array.from({ length: 40 }, (_, at) => [
    user(at === 20 ? "Nicht ohne die Birnen." : "oui"),
    ...edits(`src/etape-${at}.ts`),
    says(`Voici l'étape ${at}, avec tout ce qu'elle contient et ce qui reste à valider avant la suite. Valides-tu ?`),
  ]).flat();
  const text = told(700, {}, undefined, [user(FIRST), says("Je commence."), ...steps]);

  it("is told only with what came of it", () => {
    const turns = text.split(/\n(?=\[\d+\] User)/);
    expect(turns.filter((turn) => /^\[\d+\] User: oui$/.test(turn))).toEqual([]);
    expect(turns.length).toBeGreaterThan(5);
  });

  it("gives way, and not what was said once, however short", () => {
    expect(text).toContain("User: Nicht ohne die Birnen.");
  });
});

describe("where not all that people wrote has room", () => {
  const words = Array.from({ length: 60 }, (_, at) =>
    at % 3 === 0 ? `yes, ${at}.` : `The lid of jar ${at} is from now on as wide as that of the jar before it.`,
  );
  const worked = [user(FIRST), ...words.flatMap((one, at) => [user(one), ...edits(`src/jar-${at}.ts`), says("Ok.")])];
  const toldIn = (tokens: number): readonly number[] => {
    const text = told(tokens, {}, undefined, worked);
    return [...words.keys()].filter((at) => text.includes(`User: ${words[at]!}`));
  };

  it.each([500, 700, 900, 1_100])(
    "the newest of it is told in %i tokens, and no older one because it is short",
    (tokens) => {
      const found = toldIn(tokens);
      expect(found.length).toBeGreaterThan(5);
      expect(found.length).toBeLessThan(words.length);
      expect(found).toEqual([...words.keys()].slice(-found.length));
    },
  );

  it("a question is told where it is among the newest", () => {
    const question = "How wide is the lid of the last of all these jars?";
    for (const tokens of [500, 700, 900, 1_100]) {
      const text = told(tokens, {}, undefined, [
        ...worked,
        user(question),
        ...edits("src/last.ts"),
        says("It is 9 cm wide."),
      ]);
      expect(text).toContain(`User: ${question}`);
    }
  });

  it("what was done gives way to it", () => {
    const steps = Array.from({ length: 30 }, (_, at) => 1_000 + at * 100);
    const least = steps.find((tokens) => toldIn(tokens).length === words.length)!;
    const edited = (tokens: number): number => told(tokens, {}, undefined, worked).split("Edit src/jar-").length - 1;
    expect(least).toBeLessThan(2_500);
    expect(edited(least)).toBeLessThan(words.length);
    expect(edited(6_000)).toBe(words.length);
  });
});
