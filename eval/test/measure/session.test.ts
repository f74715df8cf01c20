/** Sessions as the evaluation reads them: every format in chat form, recorded compactions marked. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readSession } from "../../src/measure/session.ts";
import { textOf, type ChatMessage } from "../../src/recall/future-use.ts";
import { anthropicBody, chatMessages, claudeCodeSession } from "../../../test/cli/precis.ts";

const texts = (messages: readonly ChatMessage[]): readonly string[] => messages.map(textOf);

describe("a session", () => {
  it("in the measure's own form is read as it stands", () => {
    const messages = chatMessages();
    expect(readSession(JSON.stringify(messages), "x.json")?.messages).toEqual(messages);
    expect(readSession(JSON.stringify({ model: "m", messages }), "x.json")?.messages).toEqual(messages);
    expect(readSession(messages.map((one) => JSON.stringify(one)).join("\n"), "x.jsonl")?.messages).toEqual(messages);
  });

  it.each([
    ["anthropic-messages", anthropicBody(), 42],
    ["claude-code", claudeCodeSession(), 43],
  ])("of %s says the same in chat form: calls, their arguments, results", (format, text, least) => {
    const session = readSession(text, "x");
    expect(session?.format).toBe(format);
    expect(session!.messages.length).toBeGreaterThanOrEqual(least);
    expect(texts(session!.messages)).toContainEqual(expect.stringContaining("cat log3"));
    const [call] = session!.messages.flatMap((message) => message.tool_calls ?? []);
    expect(session!.messages.some((message) => message.tool_call_id === call!.id)).toBe(true);
  });

  it("is broken where the content of a message is none, and its place is named", () => {
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content: 7 },
      { role: "user", content: "b" },
    ];
    expect(() => readSession(JSON.stringify(messages), "x.json")).toThrow("messages[1].content");
  });

  it("is none where no format is known", () => {
    expect(readSession('{"anything": 1}', "x.json")).toBeUndefined();
  });

  it("of the examples is read whole", () => {
    const path = resolve(import.meta.dirname, "../../../examples/restart.claude-code.jsonl");
    expect(readSession(readFileSync(path, "utf8"), path)!.messages.length).toBeGreaterThan(10);
  });
});

it("with a recorded compaction is not cut across it", () => {
  const record = (type: string, at: number, fields: object): object => {
    return { type, uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, isSidechain: false, ...fields };
  };
  const summary = "This session is being continued from a previous conversation: oldParser.";
  const records = [
    record("user", 0, { message: { role: "user", content: "mend oldParser" } }),
    record("system", 1, {
      subtype: "compact_boundary",
      parentUuid: null,
      logicalParentUuid: "u0",
      content: "compacted",
    }),
    record("user", 2, { isCompactSummary: true, message: { role: "user", content: summary } }),
    record("assistant", 3, { message: { role: "assistant", content: [{ type: "text", text: "I go on." }] } }),
  ];
  const text = records.map((one) => `${JSON.stringify({ sessionId: "s", ...one })}\n`).join("");
  const { messages } = readSession(text, "x.jsonl")!;
  expect(messages.map(({ summary: recorded }) => recorded === true)).toEqual([false, true, false]);
});
