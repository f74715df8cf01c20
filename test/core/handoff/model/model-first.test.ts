/** What a model wrote comes before what code has to say of the same: rules that only the task says too, and lines beyond its share. */
import { expect, it } from "vitest";
import type { Items } from "../../../../src/core/handoff/model/asked.ts";
import type { Topic } from "../../../../src/core/handoff/sections/topic.ts";
import { parseHandoff, writeHandoff } from "../../../../src/core/handoff/write.ts";
import { filler, ran, says, talk, user } from "../../../support/compacting.ts";
import { measure, requestFor } from "../requests.ts";

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

const many = (count: number, line: (at: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, at) => line(at));

it("gives up the same part of each section where it is too long, and says how much", () => {
  const findings = many(20, (at) => `Column ${at} of src/rows.ts keeps its spaces, as the export shows. [7]`);
  const steps = many(20, (at) => `Step ${at}: src/importer.ts read on to line ${at * 40}. [3]`);
  const own = `## Of the rows\n${many(20, (at) => `- Row ${at} is read by importAll, from left to right.`).join("\n")}`;
  const { text, unsaid } = writeHandoff(
    requestFor(messages, {
      prose: new Map<Topic, readonly string[]>([
        ["goal", ["The new importer."]],
        ["actions", steps],
        ["context", [...findings, own]],
      ]),
      budget: 900,
    }),
  );
  const { sections } = parseHandoff(text)!;
  const [told, done] = [sections.get("context")!, sections.get("actions")!];
  expect(sections.get("goal")).toEqual(["The new importer."]);
  expect(told.slice(0, -1)).toEqual(findings.slice(0, told.length - 1));
  expect(done).toEqual(steps.slice(-done.length));
  const rows = told.at(-1)!.split("\n").length - 1;
  expect(told.at(-1)).toMatch(/^## Of the rows\n- Row 0 [^]* \[…\]$/);
  for (const kept of [told.length - 1, done.length, rows]) expect(kept).toBeGreaterThan(5);
  expect(Math.abs(told.length - 1 - done.length)).toBeLessThan(3);
  expect(unsaid).toBe(40 - (told.length - 1) - done.length);
  expect(text).not.toMatch(/\(\+\d+ in /);
  expect(measure.text(text)).toBeGreaterThan(840);
});

it("keeps the first words of each section in the smallest room", () => {
  const topics: readonly Topic[] = ["task", "goal", "actions", "decisions", "remaining", "context"];
  const long = (topic: string): string => `About ${topic}: ${"it was said at length, and once more. ".repeat(30)}`;
  const { text } = writeHandoff(
    requestFor(messages, { prose: new Map(topics.map((topic) => [topic, [long(topic)]])), budget: 400 }),
  );
  for (const topic of topics) expect(text).toContain(`About ${topic}:`);
});

it("has different things that begin alike, in one section and in two", () => {
  const opening = "The importer takes the rows in batches, whose size is what the configuration says of it, and then ";
  const { text } = writeHandoff(
    requestFor(messages, {
      prose: new Map<Topic, readonly string[]>([
        ["task", [`${opening}sorts them.`, `${opening}counts them.`]],
        ["state", ["Checks: unit tests pass", "Checks: lint fails"]],
        ["pending", [`${opening}sorts them.`]],
      ]),
    }),
  );
  const { sections } = parseHandoff(text)!;
  expect(sections.get("task")).toEqual([`${opening}sorts them.`, `${opening}counts them.`]);
  expect(sections.get("state")).toEqual(["Checks: unit tests pass", "Checks: lint fails"]);
  expect(sections.get("pending")).toEqual([`${opening}sorts them.`]);
});

it("comes first, whatever its headings, and the record of code fills what so few words leave", () => {
  const own = "## What happened\n- The importer was read.";
  const { text } = writeHandoff(
    requestFor(messages, { prose: new Map<Topic, readonly string[]>([["context", [own]]]) }),
  );
  expect(text.indexOf("The importer was read.")).toBeLessThan(text.indexOf("User: Rewrite src/importer.ts."));
  expect(text.indexOf("User: Rewrite src/importer.ts.")).toBeGreaterThan(0);
  expect(text).not.toContain("The newest user message");
});

it("has its paths as they are, and the folder once", () => {
  const { messages: below } = talk(
    user("Look at the importer."),
    ...["a", "b", "c"].map((name) => ran("read_file", { path: `/srv/app/importer/src/${name}.ts` }, "export {};")),
    user("Go on."),
  );
  const items: Items = new Map<Topic, readonly string[]>([
    ["actions", many(20, (at) => `Read /srv/app/importer/src/a.ts, lines ${at * 40} on. [2]`)],
    ["state", ["Folder: /srv/app/importer"]],
  ]);
  const { text } = writeHandoff(requestFor(below, { prose: items, budget: 800 }));
  expect(text).toContain("Read /srv/app/importer/src/a.ts, lines 0 on.");
  expect(text).not.toContain("Paths in this folder");
  expect(text.match(/Folder:/g)).toHaveLength(1);
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
