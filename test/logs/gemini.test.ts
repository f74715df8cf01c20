import { describe, expect, it } from "vitest";
import { resultOf } from "../../src/core/transcript/message.ts";
import { noted, read, said } from "./reading.ts";

type Fields = Record<string, unknown>;

const HEADER = { sessionId: "s", projectHash: "h", startTime: "t", lastUpdated: "t" };
const response = (id: string | undefined, body: Fields): Fields => ({
  functionResponse: { id, name: "shell", response: body },
});
const user = (content: unknown, id = "u"): Fields => ({ id, timestamp: "t", type: "user", content });
const reply = (content: unknown, more: Fields = {}): Fields => ({
  id: "g",
  timestamp: "t",
  type: "gemini",
  content,
  ...more,
});
const call = (more: Fields): Fields => ({ name: "shell", args: { command: "ls" }, status: "success", ...more });
const chat = (...messages: readonly Fields[]): string => JSON.stringify({ ...HEADER, messages });

describe("Gemini CLI chats", () => {
  it("takes calls and their results out of the record of the reply", () => {
    const log = read(
      "gemini",
      chat(
        user("go"),
        reply("looking", {
          thoughts: [{ subject: "Plan", description: "look" }],
          model: "gemini-x",
          tokens: { input: 100, output: 10, cached: 40, thoughts: 5, total: 115 },
          toolCalls: [
            call({ id: "a", result: [response("a", { output: "files" })] }),
            call({ status: "error", result: [response(undefined, { error: "no such folder" })] }),
          ],
        }),
        { id: "i", type: "info", content: "update available" },
        reply("done"),
      ),
    );
    const args = '{"command":"ls"}';
    expect(said(log)).toEqual([
      "user: go",
      `assistant: looking +shell(${args}) +shell(${args})`,
      "tool a: files",
      "tool call_2_1!: no such folder",
      "assistant: done",
    ]);
    expect(log.transcript.messages[1]?.parts[0]).toEqual({ kind: "reasoning", text: "Plan\nlook" });
    expect(log).toMatchObject({
      model: "gemini-x",
      speaks: "openai-chat",
      usage: { input: 100, output: 15, cacheRead: 40, cacheWrite: 0 },
    });
    expect(noted(log)).toEqual([["not_sent", 3]]);
  });

  it("takes the text for the screen where only that was kept, and says of the others how far they came", () => {
    const log = read(
      "gemini",
      chat(
        reply("", {
          toolCalls: [
            call({ id: "a", resultDisplay: "shown" }),
            call({ id: "b", status: "cancelled" }),
            call({ id: "c", status: "awaiting_approval" }),
            call({ id: "d", status: "executing" }),
          ],
        }),
      ),
    );
    expect(said(log)[1]).toBe("tool a: shown");
    expect(said(log).slice(2)).toEqual([
      expect.stringMatching(/^tool b!: .*cancelled/),
      expect.stringMatching(/^tool c!: .*never run/),
      expect.stringMatching(/^tool d \[stub\]: .*not known/),
    ]);
  });

  it("reads JSON lines: the last record of an id counts, and a rewind takes records away", () => {
    const records = [
      HEADER,
      user("go", "1"),
      { ...reply("draft"), id: "2" },
      { $set: { lastUpdated: "t" } },
      { ...reply("whole"), id: "2" },
      user("wrong", "3"),
      { $rewindTo: "3" },
      user("right", "4"),
    ];
    const log = read("gemini", records);
    expect(said(log)).toEqual(["user: go", "assistant: whole", "user: right"]);
    expect(noted(log)).toEqual([["branch_skipped", 7]]);
    expect(said(read("gemini", [...records, { $set: { messages: [user("only this")] } }]))).toEqual([
      "user: only this",
    ]);
  });

  it("reads parts: images, calls and responses by order, a compressed history as a summary", () => {
    const history = [
      { role: "user", parts: [{ text: "<state_snapshot>so far</state_snapshot>" }] },
      { role: "user", parts: [{ text: "what is this" }, { inlineData: { mimeType: "image/png", data: "AAAA" } }] },
      { role: "model", parts: [{ text: "hm", thought: true }, { functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { colour: "red" } } }] },
    ];
    const log = read("gemini", JSON.stringify({ history }));
    expect(said(log)).toEqual([
      "user [summary]: <state_snapshot>so far</state_snapshot>",
      "user: what is this",
      "assistant: +look({})",
      'tool call_3_1: {"colour":"red"}',
    ]);
    expect(log.transcript.messages[1]?.parts[1]).toMatchObject({ kind: "image", source: { mediaType: "image/png" } });
    expect(resultOf(log.transcript.messages[3]!)?.callId).toBe("call_3_1");
  });

  it("gives an empty transcript for a chat without a word", () => {
    expect(noted(read("gemini", chat()))).toEqual([["no_messages", 0]]);
  });
});
