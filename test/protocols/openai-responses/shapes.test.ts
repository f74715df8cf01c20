/** Shapes of the Responses protocol that have broken readers and writers, each by its name. */
import { describe, expect, test } from "vitest";
import { resultOf, textMessage, withParts, type Message } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { replace, roles, stubResult } from "../one-request.ts";

const responses = protocols["openai-responses"];

describe("Responses", () => {
  const request = (input: unknown, more: object = {}): string => JSON.stringify({ model: "m", ...more, input });
  const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "g" };
  const call = (id: string) => ({ type: "function_call", id: `fc_${id}`, call_id: id, name: "f", arguments: "{}" });
  const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" });
  const said = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [{ type: "output_text", text: "hm", annotations: [] }],
  };

  test("the items of one reply are one assistant message", () => {
    const decoded = responses.decode(
      request([{ role: "user", content: "q" }, thought, said, call("a"), call("b"), output("a"), output("b")]),
    );
    expect(roles(decoded)).toEqual(["user", "assistant", "tool", "tool"]);
    expect(decoded.transcript.messages[1]!.parts.map(({ kind }) => kind)).toEqual([
      "reasoning",
      "text",
      "tool-call",
      "tool-call",
    ]);
    expect(violationsOf(decoded.transcript, responses.rules)).toEqual([]);
  });

  test("tools that a developer gives as an item stand beside the conversation, or in it where they come later", () => {
    const given = {
      type: "additional_tools",
      id: "at_1",
      role: "developer",
      tools: [{ type: "custom", name: "exec" }],
    };
    const rules = { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] };
    const asked = { role: "user", content: "q" };
    const { transcript } = responses.decode(request([given, rules, asked, said, given, call("a"), output("a")]));
    expect(transcript.system.map(({ parts }) => parts[0]!.kind)).toEqual(["opaque", "text"]);
    expect(transcript.messages.map(({ role }) => role)).toEqual(["user", "assistant", "system", "assistant", "tool"]);
  });

  test("an item whose thinking was removed no longer names itself", () => {
    const decoded = responses.decode(request([thought, said, call("a"), output("a")]));
    const [reply] = decoded.transcript.messages;
    const stripped = withParts(
      reply!,
      reply!.parts.filter(({ kind }) => kind !== "reasoning"),
    );
    const { input } = JSON.parse(responses.splice(decoded, replace(decoded, 0, stripped)));
    expect(input.map((item: { type: string; id?: string }) => [item.type, item.id])).toEqual([
      ["message", undefined],
      ["function_call", undefined],
      ["function_call_output", undefined],
    ]);
  });

  test("an edited call leaves the other items of its reply as they were", () => {
    const body = request([thought, said, call("a"), output("a")]);
    const decoded = responses.decode(body);
    const [reply] = decoded.transcript.messages;
    const changed = withParts(
      reply!,
      reply!.parts.map((part) => (part.kind === "tool-call" ? { ...part, arguments: '{"x":1}' } : part)),
    );
    expect(responses.splice(decoded, replace(decoded, 0, changed))).toBe(body.replace('"{}"', '"{\\"x\\":1}"'));
  });

  test("items of unknown kinds are carried in a message of the right role", () => {
    const kinds = [
      "web_search_call",
      "item_reference",
      "compaction",
      "mcp_list_tools",
      "mcp_approval_response",
      "compaction_trigger",
    ];
    for (const type of kinds) {
      const body = request([
        { role: "user", content: "q" },
        { type, id: "x", payload: 12 },
      ]);
      const decoded = responses.decode(body);
      expect(decoded.transcript.messages[1]).toMatchObject({
        role: type === "mcp_approval_response" || type === "compaction_trigger" ? "user" : "assistant",
        parts: [{ kind: "opaque", type }],
      });
      const shortened = { ...decoded.transcript, messages: decoded.transcript.messages.slice(1) };
      expect(JSON.parse(responses.splice(decoded, shortened)).input).toEqual([{ type, id: "x", payload: 12 }]);
    }
  });

  test("a compaction item does not join the reply after it", () => {
    const decoded = responses.decode(
      request([{ role: "user", content: "q" }, { type: "compaction", encrypted_content: "g" }, said]),
    );
    expect(roles(decoded)).toEqual(["user", "assistant", "assistant"]);
  });

  test("an item that an agent's file brings is an item, and no content of a message", () => {
    const raw = JSON.stringify({ type: "compaction", encrypted_content: "g" });
    const item: Message = { role: "user", parts: [{ kind: "opaque", type: "compaction", raw }], origin: "summary" };
    const { messages } = responses.encode(
      { system: [], messages: [item, textMessage("user", "Go on.")] },
      { source: "openai-responses" },
    );
    expect(messages).toEqual([
      { type: "compaction", encrypted_content: "g" },
      expect.objectContaining({ role: "user" }),
    ]);
  });

  test("tools of the provider that the client runs pair like functions", () => {
    const action = { type: "exec", command: ["ls"] };
    const body = request([
      { type: "local_shell_call", call_id: "s", action, status: "completed" },
      { type: "local_shell_call_output", call_id: "s", output: "a.txt" },
    ]);
    const decoded = responses.decode(body);
    expect(violationsOf(decoded.transcript, responses.rules)).toEqual([]);
    const [, tool] = decoded.transcript.messages;
    const changed = withParts(tool!, [{ ...resultOf(tool!)!, content: [{ kind: "text", text: "…" }] }]);
    expect(JSON.parse(responses.splice(decoded, replace(decoded, 1, changed))).input[1]).toEqual({
      type: "local_shell_call_output",
      call_id: "s",
      output: "…",
    });
  });

  test("input may be one string, and becomes a list when something is added", () => {
    const body = '{"model":"m", "input" : "h\\u0069"}';
    const decoded = responses.decode(body);
    expect(decoded.transcript.messages).toMatchObject([{ role: "user", parts: [{ text: "hi" }] }]);
    expect(responses.splice(decoded, decoded.transcript)).toBe(body);
    const longer = {
      ...decoded.transcript,
      messages: [...decoded.transcript.messages, textMessage("assistant", "yes")],
    };
    expect(responses.decode(responses.splice(decoded, longer)).transcript.messages).toMatchObject([
      { role: "user", parts: [{ text: "hi" }] },
      { role: "assistant", parts: [{ text: "yes" }] },
    ]);
  });

  test("instructions stand before leading developer items, and each stays in its place", () => {
    const body = request(
      [
        { role: "developer", content: "b" },
        { role: "user", content: "q" },
      ],
      { instructions: "a" },
    );
    const decoded = responses.decode(body);
    expect(decoded.transcript.system.map((message) => message.parts[0])).toMatchObject([{ text: "a" }, { text: "b" }]);
    const [first, second] = decoded.transcript.system;
    const system = [withParts(first!, [{ kind: "text", text: "A" }]), second!];
    expect(responses.splice(decoded, { ...decoded.transcript, system })).toBe(body.replace('"a"', '"A"'));
  });

  test("a history that the provider holds is locked", () => {
    expect(responses.decode(request("q", { previous_response_id: "resp_1" })).locked).toContain("previous_response_id");
    expect(responses.decode(request("q", { conversation: { id: "c" } })).locked).toContain("conversation");
    expect(responses.decode(request([{ type: "item_reference", id: "x" }])).locked).toContain("item_reference");
    expect(responses.decode(request("q", { previous_response_id: null })).locked).toBeUndefined();
  });

  test("the output of a custom tool is of its call's kind", () => {
    const messages: Message[] = [
      {
        role: "assistant",
        parts: [{ kind: "tool-call", id: "p", name: "patch", arguments: "*** Begin", custom: true }],
      },
      stubResult("p", "ok"),
    ];
    expect(responses.encode({ system: [], messages }).messages).toMatchObject([
      { type: "custom_tool_call", input: "*** Begin" },
      { type: "custom_tool_call_output" },
    ]);
  });
});
