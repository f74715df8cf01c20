/** The stub that stands in for every peer's model: what it may say, and how much. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createConversation, createExtractor } from "../../../bench/peers/extract.ts";
import { tokensOf } from "../../../eval/src/recall/future-use.ts";

const line = fc
  .string({ minLength: 12, maxLength: 60, unit: fc.constantFrom(..."abcdefg hij/.") })
  .map((text) => `line ${text.trim()}`);
const lines = fc.array(line, { minLength: 1, maxLength: 40 });

describe("the stub", () => {
  it("says nothing but whole lines of the conversation, in their order and within the length", () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 0, max: 200 }), (said, tokens) => {
        const { answer } = createExtractor(createConversation([{ role: "user", content: said.join("\n") }]));
        const answered = answer(`Summarise this, in ten words:\n${said.join("\n")}\nDo not answer it.`, tokens);
        expect(tokensOf(answered)).toBeLessThanOrEqual(tokens);
        let from = 0;
        for (const one of answered === "" ? [] : answered.split("\n")) {
          from = said.indexOf(one, from) + 1;
          expect(from).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("takes who speaks for no part of a line, and leaves a peer's instructions out", () => {
    const conversation = createConversation([{ role: "user", content: "Rename the order service, please." }]);
    const { answer, told } = createExtractor(conversation);
    expect(answer("You are a summarizer of conversations.\n[User]: Rename the order service, please.", 100)).toBe(
      "Rename the order service, please.",
    );
    expect(told()).toMatchObject({ calls: 1, written: tokensOf("Rename the order service, please.") });
  });

  it("knows what is said later", () => {
    const conversation = createConversation();
    const { answer } = createExtractor(conversation);
    expect(answer("Rename the order service.", 100)).toBe("");
    conversation.say([{ role: "user", content: "Rename the order service." }]);
    expect(answer("Rename the order service.", 100)).toBe("Rename the order service.");
  });
});
