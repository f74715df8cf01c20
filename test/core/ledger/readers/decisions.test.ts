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

  it("are the plainest few of a long message, in their order", () => {
    const weak = Array.from({ length: 6 }, (_, at) => `Handler number ${at} returns a value instead of an error.`);
    const strong = "The root cause is the stale lock, because we decided to drop the cleanup.";
    const found = texts([...weak.slice(0, 3), strong, ...weak.slice(3)].join("\n"));
    expect(found).toHaveLength(3);
    expect(found).toContain(strong);
  });
});
