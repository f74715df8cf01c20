/** A decoder that remembers gives what a fresh one gives, as the same objects wherever the bytes are the same. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createDecoder, protocols } from "../../src/protocols/index.ts";
import { type Decoded } from "../../src/protocols/protocol.ts";
import { bodies, RUNS, WIRE_NAMES } from "../support/transcripts.ts";
import { meaningOf } from "./meaning.ts";

/** The body with only the first elements of its list. */
function shortened({ body, layout }: Decoded, elements: number): string {
  const last = layout.elements[elements - 1]?.end ?? layout.list.start + 1;
  return body.slice(0, last) + body.slice(layout.elements.at(-1)?.end ?? last);
}

describe.each(WIRE_NAMES)("%s", (name) => {
  const protocol = protocols[name];

  test("a longer history keeps the message objects of the shorter one", () => {
    fc.assert(
      fc.property(bodies(name, { large: false, maxTurns: 8 }), fc.nat(), ({ text }, pick) => {
        const whole = protocol.decode(text);
        fc.pre(whole.layout.elements.length > 1 && text[whole.layout.list.start] === "[");
        const elements = pick % whole.layout.elements.length;
        const decoder = createDecoder(protocol);
        const first = decoder.decode(shortened(whole, elements));
        const second = decoder.decode(text);
        expect(meaningOf(second.transcript)).toEqual(meaningOf(whole.transcript));
        expect(protocol.splice(second, second.transcript) === text).toBe(true);
        const [before, after] = [first, second].map(({ transcript }) => [...transcript.system, ...transcript.messages]);
        // The last reply of a Responses history may go on with what follows.
        const open = before!.at(-1)?.role === "assistant" ? 1 : 0;
        before!.slice(0, before!.length - open).forEach((message, at) => expect(after![at]).toBe(message));
      }),
      { numRuns: RUNS },
    );
  });

  test("any body after any other is read as if it came first", () => {
    fc.assert(
      fc.property(fc.array(bodies(name, { large: false, maxTurns: 4 }), { minLength: 2, maxLength: 4 }), (list) => {
        const decoder = createDecoder(protocol);
        for (const { text } of list) {
          const decoded = decoder.decode(text);
          const fresh = protocol.decode(text);
          expect(meaningOf(decoded.transcript)).toEqual(meaningOf(fresh.transcript));
          expect(decoded.transcript.tools).toBe(fresh.transcript.tools);
          expect(protocol.splice(decoded, decoded.transcript) === text).toBe(true);
        }
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });
});

test("a marker that moved costs the messages it touched and no other", () => {
  const marked = (text: string) => ({
    role: "user",
    content: [{ type: "text", text, cache_control: { type: "ephemeral" } }],
  });
  const plain = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
  const reply = { role: "assistant", content: "ok" };
  const decoder = createDecoder(protocols["anthropic-messages"]);
  const first = decoder.decode(
    JSON.stringify({ system: "10:00", messages: [marked("a"), reply, plain("b"), reply, marked("c")] }),
  );
  const second = decoder.decode(
    JSON.stringify({
      system: "10:01",
      messages: [plain("a"), reply, plain("b"), reply, plain("c"), reply, marked("d")],
    }),
  );
  const same = second.transcript.messages.map((message, at) => message === first.transcript.messages[at]);
  expect(same).toEqual([false, true, true, true, false, false, false]);
});

test("a failed body leaves the memory as it was", () => {
  const decoder = createDecoder(protocols["openai-chat"]);
  const body = '{"messages":[{"role":"user","content":"a"}]}';
  const first = decoder.decode(body);
  expect(() => decoder.decode('{"messages":')).toThrow("not JSON");
  expect(decoder.decode(body).transcript.messages[0]).toBe(first.transcript.messages[0]);
});
