/** Shapes of Anthropic Messages that have broken readers and writers, each by its name. */
import { describe, expect, test } from "vitest";
import {
  callsOf,
  resultOf,
  textMessage,
  withParts,
  type Message,
  type Part,
} from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { protocols, wireRules } from "../../../src/protocols/index.ts";
import { replace, roles, stubResult } from "../one-request.ts";

const chat = protocols["openai-chat"];
const anthropic = protocols["anthropic-messages"];

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
      const messages = decoded.transcript.messages.toSpliced(at, 0, stubResult("a", "no result"));
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
      stubResult("a", "1"),
      stubResult("b", "2"),
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

  test("a system message that loses its place goes on as a user's, and only that one", () => {
    const system = { role: "system", content: "Stay on course." };
    const body = JSON.stringify({
      model: "m",
      messages: [
        { role: "user", content: "q" },
        system,
        { role: "assistant", content: "a" },
        { role: "user", content: "r" },
        system,
      ],
    });
    const decoded = anthropic.decode(body);
    const { messages } = decoded.transcript;
    const summary = textMessage("user", "What came before.", "summary");
    const before = [messages[0]!, messages[1]!, summary, ...messages.slice(2)];
    const sent = JSON.parse(anthropic.splice(decoded, { ...decoded.transcript, messages: before })).messages;
    expect(sent.map(({ role }: { role: string }) => role)).toEqual([
      "user",
      "user",
      "user",
      "assistant",
      "user",
      "system",
    ]);
    expect(sent[1].content).toBe("<system-message>\nStay on course.\n</system-message>");
    const behind = [summary, ...messages.slice(1)];
    expect(JSON.parse(anthropic.splice(decoded, { ...decoded.transcript, messages: behind })).messages[1]).toEqual(
      system,
    );
    expect(anthropic.splice(decoded, decoded.transcript)).toBe(body);
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
