import { describe, expect, it } from "vitest";
import { answerIn, closingQuestionIn, questionsIn } from "../../../../src/core/ledger/readers/questions.ts";

describe("questions", () => {
  it("are the sentences that ask", () => {
    const text = "Thanks. Which port does the server use? And is it the same in production? I forgot.";
    expect(questionsIn(text)).toEqual(["Which port does the server use?", "And is it the same in production?"]);
    expect(questionsIn("このテストはどこで実行されますか。")).toEqual(["このテストはどこで実行されますか。"]);
    expect(questionsIn("No question here.")).toEqual([]);
  });

  it("may end a turn", () => {
    expect(closingQuestionIn("I fixed it.\n\nShall I commit this?")).toBe("Shall I commit this?");
    expect(closingQuestionIn("Shall I commit this? I think so. It is done. Really.")).toBeUndefined();
  });
});

describe("the answer in a reply", () => {
  const question = "Which port does the server use?";

  it("is the sentence that speaks most of what was asked", () => {
    const reply =
      "Good question! Let me look.\nThe build takes a minute on this machine.\nThe server uses port 8137 by default.";
    expect(answerIn(reply, question, false)).toBe("The server uses port 8137 by default.");
  });

  it("is the first that says anything only when the reply came directly", () => {
    const reply = "It is 8137, as written in the settings file.";
    expect(answerIn(reply, question, true)).toBe(reply);
    expect(answerIn(reply, question, false)).toBeUndefined();
  });

  it("is never an introduction", () => {
    expect(answerIn("Here is everything about the server port:", question, true)).toBeUndefined();
  });
});
