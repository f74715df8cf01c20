/** Messages of a session by number: who wrote them, with which tools. */
import { expect, it } from "vitest";
import { numbered } from "../../../src/core/recall/messages.ts";
import type { Message } from "../../../src/core/transcript/message.ts";

const turn = (tool: string, id: string): readonly Message[] => [
  { role: "assistant", parts: [{ kind: "tool-call", id, name: tool, arguments: "{}" }] },
  { role: "tool", parts: [{ kind: "tool-result", callId: id, content: [{ kind: "text", text: "ok" }] }] },
];

it("names the tool whose call a result answers, also where a later turn uses the same id", () => {
  const messages = [...turn("read_file", "call_0"), ...turn("run_tests", "call_0")];
  expect(numbered(messages, 5).map(({ number, tools }) => [number, tools])).toEqual([
    [5, ["read_file"]],
    [6, ["read_file"]],
    [7, ["run_tests"]],
    [8, ["run_tests"]],
  ]);
});
