/** Sessions as the evaluation reads them: every format in chat form, and recorded compactions with what they kept. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { recordedInChat } from "../../src/measure/recorded.ts";
import { readSession } from "../../src/measure/session.ts";
import { textOf, type ChatMessage } from "../../src/recall/future-use.ts";
import { anthropicBody, chatMessages, claudeCodeSession } from "../../../test/cli/precis.ts";
import { claudeCompacted, codexCompacted, piCompacted } from "./recordings.ts";

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

describe("a recorded compaction", () => {
  it("of Claude Code: its summary and what the agent put behind it", () => {
    const [one, ...more] = readSession(claudeCompacted(), "x.jsonl")!.recorded;
    expect(more).toEqual([]);
    expect(one!.agent).toBe("claude-code");
    expect(texts(one!.prefix)).toEqual(["mend oldParser in src/deep/parser.ts", "I look."]);
    expect(one!.kept.length).toBe(2);
    expect(textOf(one!.kept[1]!)).toContain("was read");
    expect(texts(one!.rest)).toEqual(["I go on with oldParser.", "thanks"]);
  });

  it("of pi: its summary and the entries that it left standing", () => {
    const [one] = readSession(piCompacted(), "x.jsonl")!.recorded;
    expect(texts(one!.prefix)).toEqual(["first", "one", "second"]);
    expect(texts(one!.kept).join(" ")).toMatch(/all of it.* second$/s);
    expect(texts(one!.rest)).toEqual(["two"]);
  });

  it("of Codex: the history that it lists", () => {
    const [one] = readSession(codexCompacted(), "x.jsonl")!.recorded;
    expect(texts(one!.prefix)).toEqual(["first", "one"]);
    expect(texts(one!.kept)).toEqual(["first", "told"]);
    expect(texts(one!.rest)).toEqual(["two"]);
  });

  it("in chat form is Claude Code's alone: of pi's, what stood beside it is not told", () => {
    const says = (role: string, content: string): ChatMessage => ({ role, content });
    const before = [says("user", "a"), says("assistant", "b")];
    const claude = says("user", "This session is being continued from a previous conversation. b");
    const pi = says("user", "[pi compaction summary] b");
    const after = says("assistant", "c");
    expect(recordedInChat([...before, claude, after])).toEqual([
      { agent: "claude-code", prefix: before, kept: [claude], rest: [after] },
    ]);
    expect(recordedInChat([...before, pi, after])).toEqual([]);
  });

  it("never lies inside a stretch that is cut", () => {
    const { messages } = readSession(claudeCompacted(), "x.jsonl")!;
    expect(messages.filter(({ summary }) => summary === true).length).toBe(1);
  });
});
