import { expect, it } from "vitest";
import type { Message } from "../../../src/core/transcript/message.ts";
import { createPairing, pairingOf } from "../../../src/core/transcript/pairing.ts";
import { expectLinear } from "../../support/linear.ts";

const asks = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id, at) => ({ kind: "tool-call", id, name: `tool${at}`, arguments: "{}" })),
});
const answers = (callId: string): Message => ({ role: "tool", parts: [{ kind: "tool-result", callId, content: [] }] });

const pairs = (messages: readonly Message[]): readonly (string | undefined)[] =>
  pairingOf(messages).answers.map((one) => (one === undefined ? undefined : `${one.message} ${one.call.name}`));

it("a result answers the first open call of its id", () => {
  const messages = [asks("a", "b", "a"), answers("a"), answers("a"), answers("b"), answers("a")];
  expect(pairs(messages)).toEqual([undefined, "0 tool0", "0 tool2", "0 tool1", undefined]);
});

it("a result answers the newest turn that has an open call of its id, and an older one after that", () => {
  const messages = [asks("a"), asks("a"), answers("a"), answers("a"), answers("a")];
  expect(pairs(messages)).toEqual([undefined, undefined, "1 tool0", "0 tool0", undefined]);
});

it("calls without a result come in the order in which they were made", () => {
  const { unanswered } = pairingOf([asks("b", "a", "b"), answers("b"), asks("a", "b"), answers("b")]);
  expect(unanswered.map(({ call, message }) => `${message} ${call.id} ${call.name}`)).toEqual([
    "0 a tool1",
    "0 b tool2",
    "2 a tool0",
  ]);
});

it("takes linear time where every call has the same id", () => {
  expectLinear(200_000, (calls) => () => {
    const pairing = createPairing<number>();
    for (let at = 0; at < calls; at++) pairing.ask("a", 0, at);
    const answered = Array.from({ length: calls }, () => pairing.answer("a"));
    expect(answered.every((call, at) => call === at)).toBe(true);
    expect(pairing.answer("a")).toBeUndefined();
  });
});
