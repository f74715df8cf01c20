/** Figures that the assistant takes back, and those that hold. */
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../support/linear.ts";
import {
  correctedFiguresIn,
  holdsFigure,
  retractionsIn,
  sentencesWith,
} from "../../../../src/core/ledger/readers/retractions.ts";

describe("a figure is taken back", () => {
  it.each([
    ["You were right. My €9,184,221.55 was wrong. I'll filter.", "9,184,221.55", "My €9,184,221.55 was wrong."],
    ["The 25.3 % I gave was simply wrong.", "25.3", "The 25.3 % I gave was simply wrong."],
    ["AUC is 0.743. The 0.987 was an artefact.", "0.987", "AUC is 0.743. The 0.987 was an artefact."],
  ])("in %s", (text, figure, sentence) => expect(retractionsIn(text)).toEqual([{ figure, text: sentence }]));

  it.each([
    "The 404 was wrong.",
    "If the 0.987 was wrong, we start again.",
    "Was it that the 0.987 was wrong?",
    "The 0.987 was not wrong.",
    "The name was wrong.",
    "We got 0.987, and later the file was wrong in 3 of 4 lines.",
  ])("not in %s", (text) => expect(retractionsIn(text)).toEqual([]));
});

it("finds the figure that holds", () => {
  const corrected = "Corrected revenue at risk: €7,402,118.09 (trailing 12 months).";
  expect(correctedFiguresIn(`Done. ${corrected}`)).toEqual([corrected]);
  expect(correctedFiguresIn("Corrected 1,204 rows. I corrected it.")).toEqual([]);
});

it("finds a figure as such, with separators or without, and what is said of it", () => {
  expect(holdsFigure("AUC 0.987.", "0.987")).toBe(true);
  expect(holdsFigure("9184221.55", "9,184,221.55")).toBe(true);
  for (const other of ["10.987", "0.9871", "1,0.987", "0.987.5"]) expect(holdsFigure(other, "0.987")).toBe(false);
  expect(sentencesWith("Done. AUC 0.987 on the test set. That is excellent! That's 3 more.", "0.987")).toEqual([
    "AUC 0.987 on the test set.",
    "That is excellent!",
  ]);
});

it("costs no more on one endless line", () => {
  for (const word of ["1.", "9,184 was ", "was just ", "corrected x "])
    expectLinear(50_000, (times) => () => retractionsIn(`${word.repeat(times)} was wrong`));
});
