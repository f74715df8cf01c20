import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exchangesOf } from "../../../src/core/transcript/exchanges.ts";
import { type Message, textMessage } from "../../../src/core/transcript/message.ts";

const asks = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id) => ({ kind: "tool-call", id, name: "run", arguments: "{}" })),
});
const answers = (callId: string): Message => ({ role: "tool", parts: [{ kind: "tool-result", callId, content: [] }] });
const user = textMessage("user", "go on");
const shapes = (messages: readonly Message[]): string[] =>
  exchangesOf(messages).map(({ start, end }) => `${start}-${end}`);

describe("exchanges", () => {
  it("hold an assistant message with all the results of its parallel calls", () => {
    expect(shapes([user, asks("a", "b"), answers("b"), answers("a"), user])).toEqual(["0-1", "1-4", "4-5"]);
  });

  it("wait for a result that comes behind a message typed while the tool ran", () => {
    expect(shapes([asks("a", "b"), answers("a"), user, answers("b"), user])).toEqual(["0-4", "4-5"]);
  });

  it("wait for the result of a call when one of another call stands in its place", () => {
    expect(shapes([asks("a"), answers("x"), user, answers("a"), user])).toEqual(["0-4", "4-5"]);
  });

  it("do not wait past the next assistant turn: the id may be another call's", () => {
    expect(shapes([asks("a"), user, asks("a"), answers("a")])).toEqual(["0-1", "1-2", "2-4"]);
  });

  it("take an orphan result along with what stands before it", () => {
    expect(shapes([user, answers("x"), user])).toEqual(["0-2", "2-3"]);
  });

  it("cover any sequence of messages, in order and without gaps", () => {
    const any = fc.array(
      fc.oneof(fc.constant(user), fc.constant(asks("a")), fc.constant(asks("a", "a")), fc.constant(answers("a"))),
    );
    fc.assert(
      fc.property(any, (messages) => {
        const exchanges = exchangesOf(messages);
        expect(exchanges.flatMap(({ start, end }) => messages.slice(start, end))).toEqual(messages);
        expect(exchanges.every(({ start, end }) => end > start)).toBe(true);
      }),
    );
  });
});
