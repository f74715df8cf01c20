import { describe, expect, it } from "vitest";
import { type Message, textMessage } from "../../../src/core/transcript/message.ts";
import { misplacedSystem, violationsOf } from "../../../src/core/transcript/oracle.ts";

const user = textMessage("user", "go on");
const asks = (id: string, args = "{}"): Message => ({
  role: "assistant",
  parts: [{ kind: "tool-call", id, name: "run", arguments: args }],
});
const answers = (callId: string): Message => ({ role: "tool", parts: [{ kind: "tool-result", callId, content: [] }] });
const codes = (...messages: Message[]): string[] => violationsOf({ system: [], messages }).map(({ code }) => code);

describe("the oracle", () => {
  it("is content with complete, adjacent pairs, ids repeated from turn to turn included", () => {
    expect(codes(user, asks("a"), answers("a"), user, asks("a"), answers("a"))).toEqual([]);
  });

  it.each<[string, Message[]]>([
    ["call_without_result", [user, asks("a"), user]],
    ["call_without_result", [user, asks("a")]],
    ["result_without_call", [user, answers("a")]],
    ["result_without_call", [user, asks("a"), answers("a"), answers("a")]],
    ["arguments_not_json", [user, asks("a", '{"path": "src/ind'), answers("a")]],
    ["call_outside_assistant", [{ ...asks("a"), role: "user" }, answers("a")]],
    ["result_outside_tool_message", [asks("a"), { ...answers("a"), role: "user" }]],
    ["tool_message_shape", [{ role: "tool", parts: [{ kind: "text", text: "ok" }] }]],
  ])("names %s", (code, messages) => {
    expect(codes(...messages)).toContain(code);
  });

  it("says where", () => {
    expect(violationsOf({ system: [], messages: [user, asks("a"), user] })[0]).toMatchObject({ message: 1 });
  });
});

describe("a system message in the conversation", () => {
  const says = (role: Message["role"]): Message => textMessage(role, "hm");
  const sets: Message = { role: "system", parts: [] };
  const served: Message = { role: "assistant", parts: [{ kind: "opaque", type: "web_search_tool_result", raw: "{}" }] };

  it.each<[string, Message[], number[]]>([
    ["behind a user, before an assistant", [user, says("system"), says("assistant")], []],
    ["behind results, at the end", [user, asks("a"), answers("a"), says("system")], []],
    ["two in a row", [user, says("system"), says("system"), says("assistant")], []],
    ["behind a server's result", [user, served, says("system")], []],
    ["without content, anywhere", [sets, user, sets, user, says("assistant"), sets], []],
    ["with one without content between", [user, sets, says("system"), sets, says("assistant")], []],
    ["first", [says("system"), says("assistant")], [0]],
    ["behind an assistant", [user, says("assistant"), says("system")], [2]],
    ["before a user", [user, says("system"), says("system"), user], [1, 2]],
  ])("%s", (_, messages, misplaced) => {
    expect(misplacedSystem(messages)).toEqual(misplaced);
  });
});
