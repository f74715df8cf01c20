/** Neighbours of one role become one message: all words stay, in order, and nothing else of the body changes. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withAlternatingRoles } from "../../../src/protocols/openai-chat/alternate.ts";

type Message = Readonly<Record<string, unknown>>;

const text = fc.string({ maxLength: 12 });
const content = fc.oneof(
  text,
  fc.array(fc.record({ type: fc.constant("text"), text }), { minLength: 1, maxLength: 3 }),
);
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom("system", "developer", "user", "assistant"), content }),
  fc.record({
    role: fc.constant("assistant"),
    content: fc.oneof(text, fc.constant(null)),
    tool_calls: fc.constant([{ id: "c", type: "function", function: { name: "read", arguments: "{}" } }]),
  }),
  fc.record({ role: fc.constant("tool"), tool_call_id: fc.constant("c"), content: text }),
);

function messagesOf(body: string): readonly Message[] {
  return (JSON.parse(body) as { messages: readonly Message[] }).messages;
}

const wordsOf = (messages: readonly Message[]): string =>
  messages
    .flatMap(({ content: said }) => (Array.isArray(said) ? (said as Message[]).map((part) => part["text"]) : [said]))
    .join("")
    .replaceAll(/\s/g, "");

describe("roles that alternate", () => {
  it("keep every word and every call, and a second time changes nothing", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const body = JSON.stringify({ model: "m", messages, seed: 1 }, null, 1);
        const written = withAlternatingRoles(body);
        const after = messagesOf(written);
        expect(wordsOf(after)).toBe(wordsOf(messages));
        const called = (all: readonly Message[]): number =>
          all.filter(({ tool_calls }) => tool_calls !== undefined).length;
        expect(called(after)).toBe(called(messages));
        for (const [at, { role, content: said, tool_calls }] of after.entries()) {
          const next = after[at + 1];
          const joins = role !== "tool" && role === next?.["role"] && said !== null && next?.["content"] !== null;
          if (tool_calls === undefined) expect(joins).toBe(false);
        }
        expect(withAlternatingRoles(written)).toBe(written);
      }),
    );
  });

  it("leave what is around as it was written", () => {
    const body = `{ "seed": 12345678901234567890, "messages": [ {"role":"user","content":"a"}, {"role":"user","content":[{"type":"text", "text":"b"}],"name":"x"}, {"role":"assistant","content":"c"} ], "x":1e2}`;
    expect(withAlternatingRoles(body)).toBe(
      `{ "seed": 12345678901234567890, "messages": [ {"role":"user","content":[{"type":"text","text":"a"},{"type":"text", "text":"b"}],"name":"x"}, {"role":"assistant","content":"c"} ], "x":1e2}`,
    );
    expect(withAlternatingRoles('{"input":"x"}')).toBe('{"input":"x"}');
  });
});
