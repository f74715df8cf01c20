/** A question behind any request: the messages are the same bytes, and nothing is changed that a provider's cache goes by. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { fieldsOf } from "../../src/protocols/fields.ts";
import { definitions } from "../../src/protocols/registry.ts";
import { followUpBody, followUpObstacle, type Question } from "../../src/protocols/follow-up.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { bodies, RUNS, WIRE_NAMES } from "../support/transcripts.ts";

const QUESTION: Question = {
  text: 'Write the "record" now.\nAs text.',
  outputTokens: 3_000,
  thinkingTokens: 8_000,
  thinks: false,
  outputTokensMax: Infinity,
};
const CHANGED = new Set([
  "messages",
  "input",
  "contents",
  "stream",
  "stream_options",
  "n",
  "background",
  "stop",
  "stop_sequences",
]);
const LIMITS = new Set(["max_tokens", "max_completion_tokens", "max_output_tokens", "generationConfig"]);

const asked = (protocol: ProtocolName, request: object, question: Partial<Question> = {}): Record<string, unknown> => {
  const decoded = protocols[protocol].decode(JSON.stringify(request));
  return JSON.parse(followUpBody(decoded, { ...QUESTION, ...question })) as Record<string, unknown>;
};

describe.each(WIRE_NAMES)("a question behind a request of %s", (protocol) => {
  it("leaves every byte of the messages, and every member that a cache goes by", () => {
    fc.assert(
      fc.property(bodies(protocol, { valid: true }), ({ text }) => {
        const { decode } = protocols[protocol];
        const before = decode(text);
        const after = decode(followUpBody(before, QUESTION));
        const { start, end } = before.layout.list;
        const isList = text[start] === "[";
        if (isList && before.layout.elements.length > 0) {
          const bytes = text.slice(start, before.layout.elements.at(-1)!.end);
          expect(after.body.slice(after.layout.list.start).startsWith(bytes)).toBe(true);
        }
        const added = after.transcript.messages.at(-1)!;
        expect(added.parts[0]).toMatchObject({ kind: "text", text: QUESTION.text });
        const { rules } = protocols[protocol];
        if (violationsOf(before.transcript, rules).length === 0)
          expect(violationsOf(after.transcript, rules)).toEqual([]);
        expect(end).toBeLessThan(after.body.length);
        const membersOf = ({ body, layout }: typeof before) =>
          layout.members
            .filter(({ key }) => !CHANGED.has(key) && !LIMITS.has(key))
            .map((member) => [member.key, body.slice(member.start, member.end)]);
        expect(membersOf(after)).toEqual(membersOf(before));
      }),
      { numRuns: RUNS },
    );
  });
});

describe("what a question changes of a request", () => {
  const messages = [{ role: "user", content: "Go on." }];
  const chat = { model: "any-1", messages };

  it("is what only a stream may hold, more than one answer, and what would cut the text off", () => {
    const said = { stream: true, stream_options: { include_usage: true }, n: 2, stop: ["\n"], temperature: 0.3 };
    expect(asked("openai-chat", { ...chat, ...said })).toMatchObject({ stream: false, temperature: 0.3 });
    for (const key of ["stream_options", "n", "stop"])
      expect(asked("openai-chat", { ...chat, ...said })).not.toHaveProperty(key);
    const queued = { model: "any-1", input: "Go on.", background: true, store: true };
    const answer = asked("openai-responses", queued);
    expect(answer).not.toHaveProperty("background");
    expect(answer).toMatchObject({ store: true, input: [{ role: "user" }, { role: "user" }] });
  });

  it("is the limit of the answer where the request has one, under the name that it has", () => {
    expect(asked("openai-chat", { ...chat, max_tokens: 5 })["max_tokens"]).toBe(3_000);
    expect(asked("openai-chat", { ...chat, max_completion_tokens: 90_000 })["max_completion_tokens"]).toBe(3_000);
    expect(Object.keys(asked("openai-chat", chat))).toEqual(["model", "messages"]);
    expect(asked("openai-chat", { ...chat, max_tokens: 5 }, { thinks: true })["max_tokens"]).toBe(11_000);
    expect(asked("openai-chat", { ...chat, max_tokens: 5, reasoning_effort: "high" })["max_tokens"]).toBe(11_000);
    expect(asked("openai-chat", { ...chat, max_tokens: 5 }, { outputTokensMax: 2_000 })["max_tokens"]).toBe(2_000);
  });

  it("stays above the budget for thinking, which stays as it is", () => {
    const thinking = { type: "enabled", budget_tokens: 20_000 };
    const answer = asked("anthropic-messages", { ...chat, max_tokens: 24_000, thinking });
    expect(answer).toMatchObject({ max_tokens: 23_000, thinking });
    const off = asked(
      "anthropic-messages",
      { ...chat, max_tokens: 9, thinking: { type: "disabled" } },
      { thinks: true },
    );
    expect(off["max_tokens"]).toBe(3_000);
  });

  it.each([
    ["openai-chat", { tool_choice: "auto" }, undefined],
    ["openai-chat", { tool_choice: "none" }, undefined],
    ["openai-chat", { tool_choice: "required" }, "tool"],
    ["openai-chat", { tool_choice: { type: "function", function: { name: "read" } } }, "tool"],
    ["openai-chat", { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } } }, undefined],
    ["openai-chat", { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: [] } } }, "tool"],
    ["openai-responses", { tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } }, undefined],
    ["openai-responses", { tool_choice: { type: "allowed_tools", mode: "required", tools: [] } }, "tool"],
    ["openai-responses", { text: { format: { type: "json_schema" } } }, "JSON"],
    ["openai-responses", { text: { format: { type: "text" }, verbosity: "low" } }, undefined],
    ["openai-chat", { response_format: { type: "json_object" } }, "JSON"],
    ["anthropic-messages", { tool_choice: { type: "auto" } }, undefined],
    ["anthropic-messages", { tool_choice: { type: "any" } }, "tool"],
    ["anthropic-messages", { tool_choice: { type: "tool", name: "read" } }, "tool"],
    ["anthropic-messages", { output_config: { format: { type: "json_schema" } } }, "JSON"],
    ["anthropic-messages", { output_config: { effort: "high" } }, undefined],
  ] as const)("is not asked for where %s demands another answer: %j", (protocol, more, because) => {
    const list = protocol === "openai-responses" ? { input: messages } : { messages };
    const obstacle = followUpObstacle(protocols[protocol].decode(JSON.stringify({ model: "any-1", ...list, ...more })));
    if (because === undefined) expect(obstacle).toBeUndefined();
    else expect(obstacle).toContain(because);
  });
});

describe("an answer that was to be plain text", () => {
  const text = (value: string) => [{ type: "text", text: value }];
  it.each([
    ["anthropic-messages", { content: text("A"), stop_reason: "end_turn" }, { text: "A", ended: "stop" }],
    ["anthropic-messages", { content: text("A"), stop_reason: "max_tokens" }, { text: "A", ended: "length" }],
    [
      "anthropic-messages",
      { content: [...text("A"), { type: "tool_use" }], stop_reason: "tool_use" },
      { ended: "called" },
    ],
    [
      "anthropic-messages",
      { content: [{ type: "server_tool_use" }, ...text("A")], stop_reason: "end_turn" },
      { ended: "called" },
    ],
    ["anthropic-messages", { content: [], stop_reason: "refusal" }, { ended: "refused" }],
    [
      "anthropic-messages",
      { content: [{ type: "thinking", thinking: "T" }, ...text("A")] },
      { text: "A", ended: "stop" },
    ],
    ["openai-chat", { choices: [{ message: { content: "A" }, finish_reason: "stop" }] }, { text: "A", ended: "stop" }],
    ["openai-chat", { choices: [{ message: { content: "A" }, finish_reason: "length" }] }, { ended: "length" }],
    ["openai-chat", { choices: [{ message: { content: "A", tool_calls: [{}] } }] }, { ended: "called" }],
    ["openai-chat", { choices: [{ message: { content: null, refusal: "No." } }] }, { ended: "refused" }],
    [
      "openai-responses",
      { output: [{ type: "message", content: [{ type: "output_text", text: "A" }] }] },
      { text: "A", ended: "stop" },
    ],
    ["openai-responses", { output: [{ type: "reasoning" }, { type: "function_call" }] }, { ended: "called" }],
    ["openai-responses", { output: [{ type: "web_search_call" }] }, { ended: "called" }],
    ["openai-responses", { output: [], incomplete_details: { reason: "max_output_tokens" } }, { ended: "length" }],
  ] as const)("of %s is read: %j", (protocol, answer, expected) => {
    expect(definitions[protocol].plainAnswer(answer as Readonly<Record<string, unknown>>)).toMatchObject(expected);
  });

  it.each(WIRE_NAMES)("of %s is nothing where it is of another shape", (protocol) => {
    for (const value of [undefined, null, 3, "text", [], {}, { choices: [] }, { output: "x" }, { content: "x" }])
      expect(definitions[protocol].plainAnswer(fieldsOf(value))).toBeUndefined();
  });
});
