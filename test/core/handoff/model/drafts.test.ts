/** What stays of the ledger's list of deeds beside a model's. */
import { expect, it } from "vitest";
import { withProse } from "../../../../src/core/handoff/model/drafts.ts";
import { LASTING_RANK } from "../../../../src/core/handoff/topics/actions.ts";

const deed = (order: number, text: string, rank = LASTING_RANK) => ({ rank, order, write: () => text });
const told = (text: string): readonly (string | undefined)[] =>
  withProse(
    "actions",
    { fresh: [deed(4, "RUN mv cut.jsonl orders.jsonl"), deed(8, "COMMIT db0e008 Start again")], carried: [] },
    { prose: new Map([["actions", [text]]]) },
  ).map(({ write }) => write());

it("is a commit that the model did not name, and a lasting deed on whose message no item rests", () => {
  expect(told("Cut the file off. [5]")).toEqual(["COMMIT db0e008 Start again", "Cut the file off. [5]"]);
  expect(told("Committed db0e008. [9]")).toEqual(["RUN mv cut.jsonl orders.jsonl", "Committed db0e008. [9]"]);
  expect(told("Did all of it. [1-20]")).toHaveLength(3);
});

it("is, of what the model has not read, every deed, and behind the model's", () => {
  const drafts = withProse(
    "actions",
    { fresh: [deed(4, "RUN mkdir src", 2.9), deed(30, "EDIT src/cart.ts", 1.5)], carried: [] },
    { prose: new Map([["actions", ["Cut the file off. [5]"]]]), proseUntil: 20 },
  );
  const inOrder = drafts.toSorted((a, b) => a.order - b.order).map(({ write }) => write());
  expect(inOrder).toEqual(["Cut the file off. [5]", "EDIT src/cart.ts"]);
});

it("is a newer value in place of the one that the model wrote", () => {
  const port = (order: number, value: string) => ({ rank: 1, order, write: () => `alpha port: ${value}` });
  const valuesAfter = (order: number): readonly (string | undefined)[] =>
    withProse(
      "context",
      { fresh: [port(order, "9090")], carried: [] },
      { prose: new Map([["context", ["alpha port: 8080 [3]"]]]), proseUntil: 20 },
    ).map(({ write }) => write());
  expect(valuesAfter(30)).toEqual(["alpha port: 9090"]);
  expect(valuesAfter(10)).toEqual(["alpha port: 8080 [3]"]);
});
