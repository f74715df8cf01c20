/** What holds of every protocol: white space, arrays, settings, errors, size. */
import { describe, expect, test } from "vitest";
import { resultOf, textMessage, withParts, type Part } from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";

/** A cost that grew with the square would take minutes. */
const HUGE_COUNT = 20_000;
const HUGE_CHARS = 1_000_000;
const HUGE_LIMIT_MS = 10_000;

const chat = protocols["openai-chat"];
const responses = protocols["openai-responses"];
const anthropic = protocols["anthropic-messages"];

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
