/** Which replies only agree, thank or greet: everything that names, orders or refuses something is more than that. */
import { describe, expect, it } from "vitest";
import { isApproval, isBareReply } from "../../../../src/core/ledger/readers/bare-replies.ts";

describe("a reply that says nothing by itself", () => {
  it.each([
    "ok.",
    "yes apply",
    "Yes, please do so!",
    "yes continue",
    "Hello!",
    "Thank you, I'll check them out.",
    "Okay, I will try that. Thank you for your advice.",
    "Those suggestions are very useful, thank you.",
    "That sounds good to me, go ahead.",
    "好的，谢谢你的建议。",
  ])("is %j", (text) => {
    expect(isBareReply(text)).toBe(true);
  });

  it.each([
    "",
    "no",
    "Stop!",
    "yes, but without the tests",
    "ok, commit",
    "Sure, it's sofia_kim_7287.",
    "check that again",
    "try again",
    "continue with the third one",
    "OK, take the 75.",
    "Option C",
    "why?",
    "That's a great idea! Any other advice?",
    "好的，删除它",
  ])("is not %j", (text) => {
    expect(isBareReply(text)).toBe(false);
  });
});

describe("a bare reply that lets the other go on", () => {
  it.each(["ok.", "Yes, please do so!", "continue", "looks good", "That sounds good to me, go ahead.", "好的"])(
    "is %j",
    (text) => {
      expect([isBareReply(text), isApproval(text)]).toEqual([true, true]);
    },
  );

  it.each(["Hello!", "Great, thank you!", "Okay, I will try that. Thank you for your advice.", "好的，谢谢你的建议。"])(
    "is not %j",
    (text) => {
      expect([isBareReply(text), isApproval(text)]).toEqual([true, false]);
    },
  );
});
