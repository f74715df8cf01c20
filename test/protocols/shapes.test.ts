/** Shapes that have broken readers and writers of these protocols, each by its name. */
import { describe, expect, test } from "vitest";
import {
  callsOf,
  resultOf,
  textMessage,
  withParts,
  type Message,
  type Part,
} from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { protocols, wireRules, type Decoded } from "../../src/protocols/index.ts";

/** A cost that grew with the square would take minutes. */
const HUGE_COUNT = 20_000;
const HUGE_CHARS = 1_000_000;
const HUGE_LIMIT_MS = 10_000;

const chat = protocols["openai-chat"];
const responses = protocols["openai-responses"];
const anthropic = protocols["anthropic-messages"];

function result(callId: string, text: string): Message {
  return Object.freeze<Message>({
    role: "tool",
    parts: [{ kind: "tool-result", callId, content: [{ kind: "text", text }] }],
    origin: "stub",
  });
}
const roles = ({ transcript }: Decoded): string[] => transcript.messages.map(({ role }) => role);
const replace = (decoded: Decoded, at: number, message: Message) => ({
  ...decoded.transcript,
  messages: decoded.transcript.messages.with(at, message),
});

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
    const system = [...decoded.transcript.system, textMessage("system", "shortened", "note")];
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
      result("p", "ok"),
    ];
    expect(responses.encode({ system: [], messages }).messages).toMatchObject([
      { type: "custom_tool_call", input: "*** Begin" },
      { type: "custom_tool_call_output" },
    ]);
  });
});

describe("Anthropic Messages", () => {
  const request = (messages: unknown, more: object = {}): string =>
    JSON.stringify({ model: "m", max_tokens: 10, ...more, messages });
  const use = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
  const answer = (id: string, content: unknown = "ok", more: object = {}) => ({
    type: "tool_result",
    tool_use_id: id,
    content,
    ...more,
  });
  const turn = [
    { role: "user", content: "q" },
    { role: "assistant", content: [use("a"), use("b")] },
    {
      role: "user",
      content: [
        answer("a", "1", { cache_control: { type: "ephemeral" } }),
        answer("b", "2", { is_error: true }),
        { type: "text", text: "go on" },
      ],
    },
  ];

  test("results become tool messages, then what the user wrote with them", () => {
    const decoded = anthropic.decode(request(turn));
    expect(roles(decoded)).toEqual(["user", "assistant", "tool", "tool", "user"]);
    const [, , first, second, user] = decoded.transcript.messages;
    expect(first!.wire).toBe(user!.wire);
    expect(resultOf(second!)!.isError).toBe(true);
    expect(violationsOf(decoded.transcript, wireRules["anthropic-messages"])).toEqual([]);
  });

  test("an edited result changes its own text only", () => {
    const body = request(turn);
    const decoded = anthropic.decode(body);
    const tool = decoded.transcript.messages[2]!;
    const changed = withParts(tool, [{ ...resultOf(tool)!, content: [{ kind: "text", text: "one" }] }]);
    expect(anthropic.splice(decoded, replace(decoded, 2, changed))).toBe(
      body.replace('"content":"1"', '"content":"one"'),
    );
  });

  test("a result that was made up for a call stands among the real ones", () => {
    const decoded = anthropic.decode(
      request(turn.with(2, { role: "user", content: [answer("b", "2"), { type: "text", text: "go on" }] })),
    );
    for (const at of [2, 3]) {
      const messages = decoded.transcript.messages.toSpliced(at, 0, result("a", "no result"));
      const content = JSON.parse(anthropic.splice(decoded, { ...decoded.transcript, messages })).messages[2].content;
      expect(content.map((block: { type: string }) => block.type)).toEqual(["tool_result", "tool_result", "text"]);
      expect(content[1]).toEqual(at === 2 ? answer("b", "2") : answer("a", "no result"));
    }
  });

  test("a copy of one of two results with the same id keeps its own bytes", () => {
    const results = [answer("a", "1"), answer("a", "2", { cache_control: { type: "ephemeral" } })];
    const decoded = anthropic.decode(
      request([turn[0], { role: "assistant", content: [use("a"), use("a")] }, { role: "user", content: results }]),
    );
    const [user, reply, , second] = decoded.transcript.messages;
    const messages = [user!, reply!, { ...second!, origin: "digest" as const }];
    expect(JSON.parse(anthropic.splice(decoded, { ...decoded.transcript, messages })).messages[2].content).toEqual([
      results[1],
    ]);
  });

  test("a result that becomes an error, or no longer is one, says so", () => {
    const decoded = anthropic.decode(request(turn));
    const [, , first, second] = decoded.transcript.messages;
    const { isError: _, ...calm } = resultOf(second!)!;
    const messages = decoded.transcript.messages
      .with(2, withParts(first!, [{ ...resultOf(first!)!, isError: true }]))
      .with(3, withParts(second!, [calm]));
    const { content } = JSON.parse(anthropic.splice(decoded, { ...decoded.transcript, messages })).messages[2];
    expect(content.slice(0, 2)).toEqual([
      answer("a", "1", { cache_control: { type: "ephemeral" }, is_error: true }),
      answer("b", "2"),
    ]);
  });

  test("new results and the user's words after them are one message, results first", () => {
    const calls: Part[] = ["a", "b"].map((id) => ({ kind: "tool-call", id, name: "f", arguments: "{}" }));
    const messages: Message[] = [
      textMessage("user", "q"),
      { role: "assistant", parts: calls },
      result("a", "1"),
      result("b", "2"),
      textMessage("user", "go on"),
      textMessage("user", "and on"),
    ];
    expect(anthropic.encode({ system: [], messages }).messages.slice(2)).toEqual([
      { role: "user", content: [answer("a", "1"), answer("b", "2"), { type: "text", text: "go on" }] },
      { role: "user", content: "and on" },
    ]);
  });

  test("a user message put beside a real one leaves its bytes alone", () => {
    const body = request(turn);
    const decoded = anthropic.decode(body);
    const messages = [textMessage("user", "summary", "summary"), ...decoded.transcript.messages];
    const added = '{"role":"user","content":"summary"},';
    expect(anthropic.splice(decoded, { ...decoded.transcript, messages })).toBe(
      body.replace('{"role":"user","content":"q"}', `${added}{"role":"user","content":"q"}`),
    );
  });

  test("results that came after a text are sent first once the message changes", () => {
    const decoded = anthropic.decode(
      request(turn.with(2, { role: "user", content: [{ type: "text", text: "go on" }, answer("a"), answer("b")] })),
    );
    expect(roles(decoded).slice(2)).toEqual(["tool", "tool", "user"]);
    const user = decoded.transcript.messages[4]!;
    const spliced = anthropic.splice(decoded, replace(decoded, 4, withParts(user, [{ kind: "text", text: "stop" }])));
    expect(JSON.parse(spliced).messages[2].content.map((block: { type: string }) => block.type)).toEqual([
      "tool_result",
      "tool_result",
      "text",
    ]);
  });

  test("thinking is kept whole or removed whole", () => {
    const content = [
      { type: "thinking", thinking: "t", signature: "s" },
      { type: "redacted_thinking", data: "d" },
      { type: "text", text: "x" },
    ];
    const decoded = anthropic.decode(request([turn[0], { role: "assistant", content }]));
    const reply = decoded.transcript.messages[1]!;
    expect(reply.parts.map(({ kind }) => kind)).toEqual(["reasoning", "reasoning", "text"]);
    const touched = withParts(
      reply,
      reply.parts.map((part) => (part.kind === "reasoning" ? { ...part, text: "other" } : part)),
    );
    expect(JSON.parse(anthropic.splice(decoded, replace(decoded, 1, touched))).messages[1].content).toEqual(content);
    const stripped = withParts(reply, reply.parts.slice(2));
    expect(JSON.parse(anthropic.splice(decoded, replace(decoded, 1, stripped))).messages[1].content).toEqual([
      content[2],
    ]);
  });

  test("arguments keep integers beyond 2^53 and their own layout", () => {
    const body =
      '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{ "n" : 12345678901234567890 }},{"type":"text","text":"x"}]}]}';
    const decoded = anthropic.decode(body);
    const reply = decoded.transcript.messages[1]!;
    expect(callsOf(reply)[0]!.arguments).toBe('{ "n" : 12345678901234567890 }');
    const text = withParts(reply, [reply.parts[0]!, { ...reply.parts[1]!, text: "y" } as Part]);
    expect(anthropic.splice(decoded, replace(decoded, 1, text))).toBe(body.replace('"x"', '"y"'));
    expect(
      anthropic.encodeText({
        ...decoded.transcript,
        tools: '[{"name":"f","input_schema":{"maximum":12345678901234567890}}]',
      }),
    ).toEqual({
      messages: body.slice('{"messages":'.length, -1),
      tools: '[{"name":"f","input_schema":{"maximum":12345678901234567890}}]',
    });
    expect(chat.encode(decoded.transcript).messages[1]).toMatchObject({
      tool_calls: [{ function: { arguments: '{ "n" : 12345678901234567890 }' } }],
    });
  });

  test("a system prompt is added, extended and removed in the request's own member", () => {
    const plain = request(turn);
    const decoded = anthropic.decode(plain);
    const note = textMessage("system", "note", "note");
    const added = anthropic.splice(decoded, { ...decoded.transcript, system: [note] });
    expect(added).toBe(plain.replace('"messages":', '"system":"note","messages":'));
    const marked = request(turn, { system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }] });
    const again = anthropic.decode(marked);
    expect(
      JSON.parse(anthropic.splice(again, { ...again.transcript, system: [...again.transcript.system, note] })).system,
    ).toEqual([
      { type: "text", text: "s", cache_control: { type: "ephemeral" } },
      { type: "text", text: "note" },
    ]);
    expect(JSON.parse(anthropic.splice(again, { ...again.transcript, system: [] }))).not.toHaveProperty("system");
  });

  test("what follows a cut opens with a user message", () => {
    const decoded = anthropic.decode(request(turn));
    const spliced = JSON.parse(
      anthropic.splice(decoded, { ...decoded.transcript, messages: decoded.transcript.messages.slice(1) }),
    );
    expect(spliced.messages[0].role).toBe("user");
    expect(spliced.messages[1]).toEqual(turn[1]);
  });
});

describe("every protocol", () => {
  test("white space around messages that stay is kept", () => {
    const body =
      '{ "messages" : [\n    {"role":"user","content":"a"},\n    {"role":"assistant","content":"b"} ,\n    {"role":"user","content":"c"}\n  ] }\n';
    const decoded = chat.decode(body);
    const [first, , third] = decoded.transcript.messages;
    const cut = chat.splice(decoded, { ...decoded.transcript, messages: [first!, third!] });
    expect(cut).toBe(
      '{ "messages" : [\n    {"role":"user","content":"a"} ,\n    {"role":"user","content":"c"}\n  ] }\n',
    );
  });

  test("an array of messages is read and written as an array", () => {
    const body = ' [ {"role":"system","content":"s"}, {"role":"user","content":"a"} ] ';
    for (const protocol of Object.values(protocols)) {
      const decoded = protocol.decode(body);
      expect(decoded.form).toBe("messages");
      expect(decoded.transcript.system).toHaveLength(1);
      const longer = { ...decoded.transcript, messages: [...decoded.transcript.messages, textMessage("user", "b")] };
      expect(JSON.parse(protocol.splice(decoded, longer))).toHaveLength(3);
    }
  });

  test("tools, model and reserved output are read, and tools can be replaced", () => {
    const tools = '[ {"name":"f", "input_schema":{}} ]';
    const body = `{"model":"claude","max_tokens":4096,"tools":${tools},"messages":[]}`;
    const decoded = anthropic.decode(body);
    expect(decoded.transcript).toMatchObject({ tools, model: "claude", maxOutputTokens: 4096 });
    expect(anthropic.splice(decoded, { ...decoded.transcript, tools: "[]" })).toBe(body.replace(tools, "[]"));
    expect(chat.decode('{"max_completion_tokens":7,"max_tokens":9,"messages":[]}').transcript.maxOutputTokens).toBe(7);
    expect(responses.decode('{"max_output_tokens":5,"input":[]}').transcript.maxOutputTokens).toBe(5);
  });

  test("a body that cannot be read says where and what to do", () => {
    const failures: [string, string, string][] = [
      ["", "body_not_json", "offset 0"],
      ["null", "body_not_json", "offset 0"],
      ['{"messages":[]', "body_not_json", "offset 14"],
      ['{"messages":[]} x', "body_not_json", "offset 16"],
      ['{"messages":[{"role":"user"},{"a" 1}]}', "body_not_json", "messages[1], offset 29"],
      ['{"messages":[{"role":"user"} {"role":"user"}]}', "body_not_json", "offset 29"],
      ['{"a":tru,"messages":[]}', "body_not_json", "offset 5"],
      ['{"model":"m"}', "body_without_messages", "messages"],
      ['{"messages":{}}', "body_without_messages", "messages"],
      ['{"messages":["hi"]}', "message_malformed", "messages[0]"],
    ];
    for (const [body, code, place] of failures) {
      expect(() => chat.decode(body)).toThrow(
        expect.objectContaining({ code, place, hint: expect.stringMatching(/\w/) }),
      );
    }
    expect(() => responses.decode('{"input":3}')).toThrow(
      expect.objectContaining({ code: "body_without_messages", place: "input" }),
    );
  });

  test("what is huge in one place costs no more than its length", () => {
    const started = performance.now();
    const results = Array.from({ length: HUGE_COUNT }, (_, at) => ({
      type: "tool_result",
      tool_use_id: `t${at}`,
      content: "x",
    }));
    const decoded = anthropic.decode(JSON.stringify({ messages: [{ role: "user", content: results }] }));
    const messages = decoded.transcript.messages.map((message) =>
      withParts(message, [{ ...resultOf(message)!, content: [{ kind: "text", text: "y" }] }]),
    );
    expect(anthropic.splice(decoded, { ...decoded.transcript, messages })).not.toContain('"x"');
    for (const line of ["x", "\\\\", '\\"', "[", "{"]) {
      const body = `{"messages":[{"role":"user","content":"${line.repeat(HUGE_CHARS)}"}]}`;
      expect(chat.splice(chat.decode(body), chat.decode(body).transcript) === body).toBe(true);
    }
    expect(performance.now() - started).toBeLessThan(HUGE_LIMIT_MS);
  });

  test("formatted messages are read back and spliced as the same text", () => {
    const decoded = anthropic.decode(
      '[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":"b"}]',
    );
    const [user, reply] = decoded.transcript.messages;
    const after = [
      textMessage("user", "summary", "summary"),
      withParts(user!, [{ ...user!.parts[0]!, text: "A" } as Part]),
      reply!,
    ];
    const text = anthropic.format(after);
    expect(anthropic.format(anthropic.decode(text).transcript.messages)).toBe(text);
    expect(text).toContain("ephemeral");
    // As they are: also where the provider would want a user message first.
    expect(anthropic.format([reply!])).toBe(`[${reply!.wire!.raw}]`);
  });
});
