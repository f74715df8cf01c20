import { describe, expect, it } from "vitest";
import { constraintsIn } from "../../../../src/core/ledger/readers/constraints.ts";
import { expectLinear } from "../../../support/linear.ts";

const BINDING = [
  "Never commit to main.",
  "don't touch the lock file",
  "please do not add any dependencies",
  "You must keep the public API as it is.",
  "Always run the linter before you commit.",
  "use pnpm, not npm",
  "i prefer small commits",
  "no console logs!",
  "omfg use rgb values in the themes, no rgb indices!",
  "invalid themes must NEVER explode",
  "make sure the old tests still pass",
  "let's not leave the tests to the very end...",
  "I want the flights changed without changing the passengers.",
  "Answer in plain text, without punctuation.",
  "keep each commit with working code please",
  "不要修改数据库结构",
  "请使用中文回答",
  "所有接口必须有测试",
  "務必じゃなくて、テストは必ず書いてください",
  "既存のファイルは変更しないでください",
  "main ブランチには直接 push しないで",
  "절대 main에 직접 푸시하지 마세요",
  "nunca borres la base de datos",
  "Wir liefern ab jetzt nicht mehr nach Österreich.",
  "Künftig bitte auf Deutsch.",
  "Fass prices.csv nie an.",
  "Nie direkt auf main pushen!",
  "Desde ahora responde en inglés.",
  "Désormais, réponds en anglais.",
  "Ne touche jamais à prices.csv",
  "لا تلمس prices.csv أبدا",
  "لا تلمس prices.csv أبدًا",
  "никогда не трогай prices.csv",
  "prices.csv를 절대 건드리지 마",
  "From now on answer in German.",
  "Exclude test accounts (email ends with @acme-test.com).",
  "Report everything in EUR.",
  "Write in British English.",
  "ok, let's refactor this, but don't touch the tests",
  "ok, let's migrate without changing the API",
  "Builds without --strict are not allowed on the shared runner.",
  "The table orders is off limits, the auditors are reading it.",
  // Choices that people made.
  "Let's go with Postgres instead of Redis for the queue, because it survives a restart.",
  "For exports use parquet, not csv.",
  "We settled on the small store, the licence of the other rules it out.",
  "The team agreed to host everything in Frankfurt.",
  // What is so, with something exact in it.
  "The staging database listens on port 5471.",
  "The release is planned for 9 March, and Brandt signs it off.",
  "FYI our VPN gateway moved to 10.4.7.9.",
  "Brandt pays 4,310 euros a month for the old plan.",
  "Demo tenant: walnut, account id 4410.",
];

const NOT_BINDING = [
  "I don't think that is right.",
  "can we always show the branch?",
  "I don't see the hook fire",
  "The session was never committed to main",
  "I feel confused and don't know what to do.",
  "does it never stop?",
  "it works now",
  "我也说不准",
  "I've still got a shadow, no condensation commit",
  "looks good",
  "Next: cohort retention for customers who joined in 2025, monthly.",
  "Write the tests in src/foo.",
  "Please find out why renderStream458 is slow when stringString860 runs, and mend it.",
  "It has 12 items in it now.",
  "The tests are slow.",
  "Error: request failed with status 404",
  "You moved 12 files.",
  "The old rules were never allowed to change.",
  "still reads for the quick reader as if we start a new branch always",
  "ok, let's summarize this now, it's for a technical reader but we don't need to include code for now.",
  "Support's example: order S-1042, code SPRING15, three books, 0.01 EUR missing.",
  "To nie działa na moim komputerze.",
  "Das hat bei mir nie funktioniert.",
  "Das habe ich noch nie gesehen.",
  "Je n'ai jamais vu ça.",
  "Это никогда не было нужно.",
];

describe("constraints", () => {
  it.each(BINDING)("are found, verbatim: %s", (sentence) => {
    expect(constraintsIn(sentence)).toEqual([sentence]);
  });

  it.each(NOT_BINDING)("are not seen in: %s", (sentence) => {
    expect(constraintsIn(sentence)).toEqual([]);
  });

  it("are single sentences of a longer message, in order", () => {
    const text = "The footer is broken. Please fix it, but never change the theme! Also use rgb values. Thanks a lot.";
    expect(constraintsIn(text)).toEqual(["Please fix it, but never change the theme!", "Also use rgb values."]);
  });

  it("are not looked for in code, logs, diffs and data", () => {
    const pasted = [
      "```",
      "// never call this twice",
      "```",
      "2026-02-08 21:51:50 ERROR must not happen",
      "+ always true",
      '{"always": 1}',
      "at never (a.ts:1:2)",
    ];
    expect(constraintsIn(pasted.join("\n"))).toEqual([]);
  });

  it("are not looked for in errors and data that were pasted, however they are broken into lines", () => {
    const pasted = [
      "Never retry it.",
      'Error: 400 {"type":"error","message":"ids were found. Each',
      "`tool_use` block must have a corresponding `tool_result` block in the next",
      'message."}}',
      "",
      "TypeError: the argument must be a string",
      "error TS2345: you must not pass it",
      'Always answer with {"ok": true}.',
      "Error handling: always log the cause.",
    ];
    expect(constraintsIn(pasted.join("\n"))).toEqual([
      "Never retry it.",
      'Always answer with {"ok": true}.',
      "Error handling: always log the cause.",
    ]);
  });

  it("are few in a long document that was pasted", () => {
    const document = Array.from(
      { length: 60 },
      (_, at) => `Step ${at} must be done, and you should use tool ${at}.`,
    ).join("\n");
    expect(constraintsIn(document).length).toBeLessThanOrEqual(6);
  });

  it("cost no more on one endless line", () => {
    expectLinear(200_000, (times) => () => expect(constraintsIn("never ".repeat(times))).toEqual([]));
  });
});

it("takes every item of a list that is announced as rules, whole", () => {
  const text = `The trip starts two days later.

Three things to keep in mind, please:
- My mother walks with a stick: she needs a lower berth by night.
- Send confirmations to my work address, not to the private one. The other is read by nobody.

To do:
- Look up the trains.`;
  expect(constraintsIn(text)).toEqual([
    "My mother walks with a stick: she needs a lower berth by night.",
    "Send confirmations to my work address, not to the private one. The other is read by nobody.",
  ]);
});
