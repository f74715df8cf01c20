/** What a person chose where the agent asked through a tool. */
import { describe, expect, it } from "vitest";
import { answersOf, chosenOption } from "../../../src/core/events/questions.ts";
import { does, eventsIn, starts } from "./session-talk.ts";

const ASKS = { questions: [{ question: "Which store?", options: ["SQLite", "Postgres"] }] };

describe("an answer", () => {
  it.each<[string, Record<string, unknown>, string, readonly (readonly [string, string])[]]>([
    [
      "AskUserQuestion",
      ASKS,
      'User has answered your questions: "Which store?"="Postgres". Go on.',
      [["Which store?", "Postgres"]],
    ],
    [
      "AskUserQuestion",
      ASKS,
      '"Which store?"="SQLite", "Which port?"="8137"',
      [
        ["Which store?", "SQLite"],
        ["Which port?", "8137"],
      ],
    ],
    ["AskUserQuestion", ASKS, '"どのストア？"="Postgres にする"', [["どのストア？", "Postgres にする"]]],
    [
      "ask_followup_question",
      { question: "Which store?" },
      "Postgres, as before",
      [["Which store?", "Postgres, as before"]],
    ],
    ["ask_user", { prompt: "Quel port ?" }, "le 8137", [["Quel port ?", "le 8137"]]],
    ["ask_user", { question: "Which store?" }, "  ", []],
    ["ask_user", { options: ["a", "b"] }, "a", []],
    ["Read", { file_path: "a.md" }, '"Which store?"="Postgres"', []],
  ])("of %s %o to %j", (tool, args, result, expected) => {
    const answers = answersOf(eventsIn(does(tool, args, result)));
    expect(answers.map(({ question, answer }) => [question, answer])).toEqual(expected);
  });

  it("is none where the person declined, or has not answered", () => {
    const declined = "The user doesn't want to proceed with this tool use.";
    expect(answersOf(eventsIn(does("AskUserQuestion", ASKS, declined)))).toEqual([]);
    expect(answersOf(eventsIn(starts("AskUserQuestion", ASKS)))).toEqual([]);
  });
});

describe("the option that a person chose", () => {
  const asked =
    "Which one?\n\n| A | two times |\n| B | three times |\n- **C)** never\n2. later\n(D) once\nE：五次\nBoth hold.\n- BC: no";
  it.each([
    ["B", "| B | three times |"],
    ["b.", "| B | three times |"],
    ["(2)", "2. later"],
    ["C, und bitte auf Deutsch", "- **C)** never"],
    ["D", "(D) once"],
    ["e", "E：五次"],
    ["Option C", "- **C)** never"],
    ["Nimm B.", "| B | three times |"],
    ["I want what stands in the letter to Mr A", undefined],
    ["F", undefined],
    ["yes", undefined],
    ["A short one, please", undefined],
    ["2000 rows", undefined],
    ["", undefined],
  ])("with %j is %j", (reply, option) => {
    expect(chosenOption(reply, asked)).toBe(option);
  });
});
