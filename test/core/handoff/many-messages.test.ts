/** A handoff of many short messages is fitted into its budget in a time that grows with them, and not with their square. */
import { expect, it } from "vitest";
import { writeHandoff } from "../../../src/core/handoff/write.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { expectLinear } from "../../support/linear.ts";
import { measure, requestFor } from "./requests.ts";

const talk = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, at) => textMessage(at % 2 === 0 ? "user" : "assistant", `x${at}`));

it("takes linear time, whatever has to give way", () => {
  expectLinear(8_000, (count) => {
    const messages = talk(count);
    return () => writeHandoff(requestFor(messages, { budget: count }));
  });
});

it.each([150, 400, 1_000, 3_000])("uses its budget of %d tokens, and never more", (budget) => {
  const { text, tokens } = writeHandoff(requestFor(talk(2_000), { budget }));
  expect(tokens).toBe(measure.text(text));
  expect(tokens).toBeLessThanOrEqual(budget);
  expect(tokens).toBeGreaterThan(budget * 0.6);
});
