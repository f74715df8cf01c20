/** What a model wrote comes before what code has to say of the same: rules that only the task says too, and lines beyond its share. */
import { expect, it } from "vitest";
import type { Items } from "../../../../src/core/handoff/model/asked.ts";
import type { Topic } from "../../../../src/core/handoff/sections/topic.ts";
import { parseHandoff, writeHandoff } from "../../../../src/core/handoff/write.ts";
import { filler, ran, says, talk, user } from "../../../support/compacting.ts";
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
const prose: Items = new Map<Topic, readonly string[]>([
  ["constraints", [RULE]],
  ["actions", ["Read src/importer.ts. [3]"]],
]);

it("is a rule among the rules, where a request says it too", () => {
  const { text } = writeHandoff(requestFor(messages, { prose, budget: 1_500 }));
  const { sections } = parseHandoff(text)!;
  expect(sections.get("constraints")).toContain(RULE);
});

it("has its lines beyond its share before the paths that code lists", () => {
  const findings = Array.from(
    { length: 30 },
    (_, at) => `Column ${at} of src/rows.ts keeps its spaces, as row ${at * 37} of the export shows. [7]`,
  );
  const files = ["read: `src/rows.ts` has the columns. [7]"];
  const { text } = writeHandoff(
    requestFor(messages, {
      prose: new Map<Topic, readonly string[]>([...prose, ["context", findings], ["files", files]]),
      budget: 1_000,
    }),
  );
  const { sections } = parseHandoff(text)!;
  expect(sections.get("context")).toEqual(findings);
  expect(sections.get("files")).toEqual(files);
});

it("gives up its oldest steps where it is too long, and nothing that it found out", () => {
  const findings = Array.from(
    { length: 20 },
    (_, at) => `Column ${at} of src/rows.ts keeps its spaces, as the export shows. [7]`,
  );
  const steps = Array.from({ length: 20 }, (_, at) => `Step ${at}: src/importer.ts read on to line ${at * 40}. [3]`);
  const { text } = writeHandoff(
    requestFor(messages, {
      prose: new Map<Topic, readonly string[]>([
        ["actions", steps],
        ["context", findings],
      ]),
      budget: 900,
    }),
  );
  const { sections } = parseHandoff(text)!;
  expect(sections.get("context")).toEqual(findings);
  expect(sections.get("actions")).toContain(steps.at(-1));
  expect(sections.get("actions")).not.toContain(steps[0]);
});

it.each([600, 1_000, 2_000])("leaves room at %i tokens for what was done since the model last read", (budget) => {
  const reads = Array.from({ length: 60 }, (_, at) =>
    ran("read_file", { path: `src/part_${at}.ts` }, filler(200, `p${at}`)),
  );
  const { messages: read } = talk(user("Check src/importer.ts."), ...reads);
  const { messages: all } = talk(
    read,
    ...ran("bash", { command: "npm publish --tag next && git push origin v9.4.0" }, ""),
  );
  const { text } = writeHandoff(requestFor(all, { prose, budget, proseUntil: read.length }));
  expect(text).toContain("npm publish --tag next");
});
