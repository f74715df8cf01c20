import { describe, expect, it } from "vitest";
import { decisionsIn } from "../../../../src/core/ledger/readers/decisions.ts";

const texts = (text: string): readonly string[] => decisionsIn(text).map((decision) => decision.text);

describe("decisions", () => {
  it.each([
    "I decided to keep the session in memory because the store is not ready yet.",
    "We'll use SQLite instead of a flat file.",
    "Let's use a queue here so that writes stay in order.",
    "The root cause is that the hook runs before stdin is parsed.",
    "决定采用 SQLite，因为它不需要服务器。",
    "フラットファイルではなくSQLiteを採用しました。",
  ])("are found, verbatim: %s", (sentence) => {
    expect(texts(sentence)).toEqual([sentence]);
  });

  it.each([
    "Now let me use the other file instead of this one.",
    "Should I use SQLite instead of a flat file?",
    "Instead of storing files and diffing later, we could:",
    "I read the file and ran the tests.",
    "Done, because.",
    '"reason": "There are signs we might be in a loop instead of moving on",',
    "## Decided to use SQLite instead of a flat file",
  ])("are not seen in: %s", (sentence) => {
    expect(texts(sentence)).toEqual([]);
  });

  it.each([
    "The command did not work because of the format of its input.",
    "The day is corrected by a second because of variations in the rotation.",
    "If they leave it out, they chose not to keep what was there.",
    "你可以选择把任务分解成小模块，逐个完成。",
    "作为人工智能，我没有爱好，因为我不是人。",
    "我觉得你可以先看一下书的简介，再决定是否购买这本书。",
  ])("are not what somebody observed, advises or did elsewhere: %s", (sentence) => {
    expect(texts(sentence)).toEqual([]);
  });

  it.each([
    "The issue is that the count is 1 instead of 0 after the third phase.",
    "The root cause was a lock that stayed, due to timeouts in the clean-up.",
    "No handling of commands in this mode (intentional, but inconsistent).",
  ])("are not plain where they say what is wrong or how it is: %s", (sentence) => {
    expect(decisionsIn(sentence)).toMatchObject([{ weight: 2 }]);
  });

  it("may be proposals", () => {
    const proposal = "My recommendation: go with the smaller of the two stores.";
    expect(decisionsIn(proposal)).toEqual([{ text: proposal, weight: 3, proposes: true }]);
  });

  it("are the plainest few of a long message, in their order", () => {
    const weak = Array.from({ length: 6 }, (_, at) => `Handler number ${at} returns a value instead of an error.`);
    const strong = "The root cause is the stale lock, because we decided to drop the cleanup.";
    const found = texts([...weak.slice(0, 3), strong, ...weak.slice(3)].join("\n"));
    expect(found).toHaveLength(3);
    expect(found).toContain(strong);
  });
});
