/** Shapes of Chat Completions that have broken readers and writers, each by its name. */
import { describe, expect, test } from "vitest";
import { callsOf, resultOf, textMessage, withParts, type Part } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { replace, roles } from "../one-request.ts";

const chat = protocols["openai-chat"];

describe("Chat Completions", () => {
  const request = (messages: unknown): string => JSON.stringify({ model: "m", messages });

  test("content that is null, missing or empty stays so when the calls beside it change", () => {
    for (const content of ['"content":null,', '"content":"",', ""]) {
      const body = `{"messages":[{"role":"assistant",${content}"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}]}`;
      const decoded = chat.decode(body);
      const [message] = decoded.transcript.messages;
      expect(message!.parts).toHaveLength(1);
      const changed = withParts(message!, [{ ...callsOf(message!)[0]!, arguments: '{"x":1}' }]);
      expect(chat.splice(decoded, replace(decoded, 0, changed))).toBe(body.replace('"{}"', '"{\\"x\\":1}"'));
    }
  });

  test("a system prompt keeps the role the client gave it", () => {
    const body = request([
      { role: "developer", content: "be brief" },
      { role: "user", content: "hi" },
    ]);
    const decoded = chat.decode(body);
    const [system] = decoded.transcript.system;
    const note: Part = { kind: "text", text: "shortened" };
    const spliced = chat.splice(decoded, {
      ...decoded.transcript,
      system: [withParts(system!, [...system!.parts, note])],
    });
    expect(JSON.parse(spliced).messages[0]).toEqual({
      role: "developer",
      content: [
        { type: "text", text: "be brief" },
        { type: "text", text: "shortened" },
      ],
    });
  });

  test("a new system message takes the role the request uses", () => {
    const decoded = chat.decode(request([{ role: "developer", content: "be brief" }]));
    const system = [...decoded.transcript.system, textMessage("system", "shortened")];
    const written = JSON.parse(chat.splice(decoded, { ...decoded.transcript, system })).messages;
    expect(written).toEqual([
      { role: "developer", content: "be brief" },
      { role: "developer", content: "shortened" },
    ]);
    expect(chat.encode({ system: [textMessage("system", "s")], messages: [] }).messages).toEqual([
      { role: "system", content: "s" },
    ]);
  });

  test("another name is written, and nothing else", () => {
    const body = request([{ role: "user", name: "ada", content: "hi" }]);
    const decoded = chat.decode(body);
    const renamed = { ...decoded.transcript.messages[0]!, name: "bob" };
    expect(chat.splice(decoded, replace(decoded, 0, renamed))).toBe(body.replace("ada", "bob"));
  });

  test("a part from another message does not take the markers of the block whose number it has", () => {
    const marked = (text: string) => ({ type: "text", text, cache_control: { type: "ephemeral" } });
    const decoded = chat.decode(
      request([
        { role: "user", content: [marked("a")] },
        { role: "user", content: [marked("b")] },
      ]),
    );
    const [first, second] = decoded.transcript.messages;
    const merged = withParts(second!, [...first!.parts, ...second!.parts]);
    const written = JSON.parse(chat.splice(decoded, { ...decoded.transcript, messages: [merged] })).messages;
    expect(written).toEqual([{ role: "user", content: [{ type: "text", text: "a" }, marked("b")] }]);
    const [part] = second!.parts;
    const split = withParts(second!, [{ ...part!, text: "b1" } as Part, { ...part!, text: "b2" } as Part]);
    const halves = JSON.parse(chat.splice(decoded, { ...decoded.transcript, messages: [split] })).messages;
    expect(halves).toEqual([{ role: "user", content: [marked("b1"), { type: "text", text: "b2" }] }]);
  });

  test("a system message after the first turn is part of the conversation", () => {
    const decoded = chat.decode(
      request([
        { role: "system", content: "a" },
        { role: "user", content: "b" },
        { role: "system", content: "c" },
      ]),
    );
    expect(decoded.transcript.system).toHaveLength(1);
    expect(roles(decoded)).toEqual(["user", "system"]);
  });

  test("one id used twice in one turn pairs in order", () => {
    const call = { id: "same", type: "function", function: { name: "f", arguments: "{}" } };
    const answer = (content: string) => ({ role: "tool", tool_call_id: "same", content });
    const decoded = chat.decode(
      request([{ role: "assistant", content: null, tool_calls: [call, call] }, answer("1"), answer("2")]),
    );
    expect(violationsOf(decoded.transcript, chat.rules)).toEqual([]);
    const second = decoded.transcript.messages[2]!;
    const changed = withParts(second, [{ ...resultOf(second)!, content: [{ kind: "text", text: "two" }] }]);
    expect(JSON.parse(chat.splice(decoded, replace(decoded, 2, changed))).messages[2]).toEqual(answer("two"));
  });

  test("function_call of old clients pairs with its function message and is edited in place", () => {
    const body = request([
      { role: "assistant", content: null, function_call: { name: "f", arguments: '{"a":1}' } },
      { role: "function", name: "f", content: "ok" },
    ]);
    const decoded = chat.decode(body);
    expect(violationsOf(decoded.transcript, chat.rules)).toEqual([]);
    const [message] = decoded.transcript.messages;
    const changed = withParts(message!, [{ ...callsOf(message!)[0]!, arguments: "{}" }]);
    expect(JSON.parse(chat.splice(decoded, replace(decoded, 0, changed))).messages[0].function_call).toEqual({
      name: "f",
      arguments: "{}",
    });
  });

  test("thinking goes with every field that carries it, and the refusal stays", () => {
    const body = request([
      {
        role: "assistant",
        content: "x",
        reasoning: "why",
        reasoning_details: [{ text: "why" }],
        refusal: "no",
        audio: { id: "1" },
      },
    ]);
    const decoded = chat.decode(body);
    const [message] = decoded.transcript.messages;
    expect(message!.parts.map(({ kind }) => kind)).toEqual(["reasoning", "text", "text"]);
    const stripped = withParts(
      message!,
      message!.parts.filter(({ kind }) => kind !== "reasoning"),
    );
    expect(JSON.parse(chat.splice(decoded, replace(decoded, 0, stripped))).messages[0]).toEqual({
      role: "assistant",
      content: "x",
      refusal: "no",
      audio: { id: "1" },
    });
  });

  test("a call of a kind of its own is carried, also when its neighbour is edited", () => {
    const odd = { id: "s", type: "server_tool", payload: 1 };
    const body = request([
      { role: "assistant", tool_calls: [odd, { id: "a", type: "function", function: { name: "f", arguments: "{}" } }] },
    ]);
    const decoded = chat.decode(body);
    const [message] = decoded.transcript.messages;
    const changed = withParts(message!, [message!.parts[0]!, { ...callsOf(message!)[0]!, arguments: "[]" }]);
    const spliced = JSON.parse(chat.splice(decoded, replace(decoded, 0, changed)));
    expect(spliced.messages[0].tool_calls[0]).toEqual(odd);
    expect(spliced.messages[0].tool_calls[1].function.arguments).toBe("[]");
  });
});
