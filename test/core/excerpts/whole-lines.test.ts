/** What excerpts quote of real sessions: whole lines or sentences, nothing that machines wrote for machines. */
import { expect, it } from "vitest";
import { passageAround } from "../../../src/core/excerpts/passages.ts";
import { createEvidence } from "../../../src/core/excerpts/excerpts.ts";
import { createNameTable } from "../../../src/core/excerpts/name-table.ts";
import { readMessage } from "../../../src/core/excerpts/reading.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../support/corpus.ts";

const WHOLE_SHARE_MIN = 0.98;
const BUDGET_TOKENS = 1_500;
const UNBROKEN_CHARS_MAX = 160;

/** Whether a quote begins and ends where a line, a sentence or a JSON object does. */
function isWhole(text: string, start: number, end: number): boolean {
  const before = text.slice(0, start);
  const after = text.slice(end);
  const opens = /(?:^|\n)[\t ]*$|[.!?。！？]["')\]]?\s+$/.test(before) || /^[{[]/.test(text.slice(start));
  const closes = /^[\t \r]*(?:\n|$)/.test(after) || /[.!?。！？]["')\]]?$|[}\]]$/.test(text.slice(start, end));
  return opens && closes;
}

describeCorpus("excerpts of real sessions", () => {
  it("are whole, and readable", () => {
    const measure = createMeasure();
    let [whole, all] = [0, 0];
    for (const file of corpusFiles("openai")) {
      const { messages } = protocols["openai-chat"].decode(corpusText(file)).transcript;
      const request = { budget: BUDGET_TOKENS, measure, present: { standing: [], text: "" }, focus: [] };
      const evidence = createEvidence();
      for (const { message, at, text } of evidence.excerpts(messages, request)) {
        const said = readMessage(messages[message]!, createNameTable()).text;
        expect(said.slice(at, at! + text.length)).toBe(text);
        expect(text.split(/\s+/).every((run) => run.length <= UNBROKEN_CHARS_MAX)).toBe(true);
        all++;
        if (isWhole(said, at!, at! + text.length)) whole++;
      }
    }
    expect(all).toBeGreaterThan(0);
    expect(whole / all).toBeGreaterThanOrEqual(WHOLE_SHARE_MIN);
  });
});

it("quotes neither what a run says of itself every time nor a name that stands alone", () => {
  const quoteOf = (text: string, name: string): string | undefined => {
    const start = text.indexOf(name);
    const passage = passageAround(text, { start, end: start + name.length });
    return passage && text.slice(passage.start, passage.end);
  };
  expect(quoteOf("ℹ pass 98\nℹ todo 0\nℹ duration_ms 2587.263153", "duration_ms")).toBeUndefined();
  expect(quoteOf("    at Test.run (node:internal/test_runner/test:1409:7)", "node:internal")).toBeUndefined();
  expect(quoteOf("index d875acf..3116c43 100644\n--- a/test/orders.test.js", "d875acf")).toBeUndefined();
  expect(quoteOf("✔ costs 890 for 10000 g at home (0.071409ms)\nℹ tests 1", "10000")).toBeUndefined();
  expect(quoteOf("✖ costs 890 for 10000 g at home (0.071409ms)\nℹ tests 1", "10000")).toContain("costs 890");
  expect(quoteOf(".git/logs/HEAD:8:f6c49535 1b2c3d4e clone: from shop", "f6c49535")).toBeUndefined();
  expect(quoteOf("--- a/src/vouchers.js\n+++ b/src/vouchers.js", "src/vouchers.js")).toBeUndefined();
  expect(quoteOf("rename_ticket\nT-77321\nPriit Ilves", "rename_ticket")).toBeUndefined();
  expect(quoteOf("at createApp (file:///workspace/shop/src/app.js:10:17)", "createApp")).toContain("src/app.js:10:17");
});
