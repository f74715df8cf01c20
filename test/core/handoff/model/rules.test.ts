/** Rules that a model worded stand among the rules, whatever else says them for the moment. */
import { expect, it } from "vitest";
import { parseHandoff, writeHandoff } from "../../../../src/core/handoff/write.ts";
import { ran, says, talk, user } from "../../../support/compacting.ts";
import { requestFor } from "../requests.ts";

const ASKED =
  "Could we keep the old importer beside the new one for reference, so that I can compare both in parallel?";
const RULE = "The old importer stays beside the new one for reference, to compare both in parallel. [4]";

const { messages } = talk(
  user("Rewrite src/importer.ts."),
  says("I read it first, then I write the new one."),
  ...ran("read_file", { path: "src/importer.ts" }, "export function importAll(): void {}"),
  user(ASKED),
  says("Yes: it goes to src/importer-new.ts."),
  ...ran("read_file", { path: "src/rows.ts" }, "export const rows = 1;"),
  user("And look at src/rows.ts while you are there, it has the columns."),
);
const prose = new Map([
  ["constraints", [RULE]],
  ["actions", ["Read src/importer.ts. [3]"]],
] as const);

it("is kept among the rules where the newest task says it too", () => {
  const { text } = writeHandoff(requestFor(messages, { prose, budget: 1_500 }));
  const { sections } = parseHandoff(text)!;
  expect(sections.get("task")!.join("\n")).toContain("keep the old importer");
  expect(sections.get("constraints")).toContain(RULE);
});
