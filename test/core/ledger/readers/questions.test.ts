import { describe, expect, it } from "vitest";
import { answerIn, closingQuestionIn, questionsIn } from "../../../../src/core/ledger/readers/questions.ts";

describe("questions", () => {
  it("are the sentences that ask", () => {
    const text = "Thanks. Which port does the server use? And is it the same in production? I forgot.";
    expect(questionsIn(text)).toEqual(["Which port does the server use?", "And is it the same in production?"]);
    expect(questionsIn("このテストはどこで実行されますか。")).toEqual(["このテストはどこで実行されますか。"]);
    expect(questionsIn("No question here.")).toEqual([]);
  });

  it("are not what a statement quotes or adds in brackets", () => {
    expect(questionsIn('the files do not match (or just "is it clean?") we start a new one')).toEqual([]);
    expect(questionsIn('The page says "Are you sure?"')).toEqual([]);
    expect(questionsIn("Move the files to another folder (possibly others?)")).toEqual([]);
    const asking = ['Why does it say "Are you sure?"', "(Shall we start now?)", "List them (is there a standard?)"];
    for (const one of asking) expect(questionsIn(one)).toEqual([one]);
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

  it.each([
    "This is a clever approach.",
    "That's a really great question!",
    "I really like this clever design.",
    "What a good and sensible idea!",
    "Das ist eine sehr gute Frage!",
  ])("is not praise: %s", (praise) => {
    const answer = "It keeps what was there and adds the rest.";
    expect(answerIn(`${praise} ${answer}`, question, true)).toBe(answer);
    expect(answerIn(praise, question, true)).toBeUndefined();
  });

  it("may begin as praise does", () => {
    const answer = "This is a good approach for ports below 1024.";
    expect(answerIn(answer, question, true)).toBe(answer);
  });

  it("is never an introduction", () => {
    expect(answerIn("Here is everything about the server port:", question, true)).toBeUndefined();
  });
});
