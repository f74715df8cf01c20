/** The README says no more than what the defaults do, and its figures are those of the evaluation, with their interval. */
import { expect, it } from "vitest";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { textOf } from "./blocks.ts";

const readme = textOf("README.md").replace(/\s+/g, " ");

it("takes its figures from the evaluation, each with its interval", () => {
  const cells = [...readme.matchAll(/(\d+\.\d) % \((\d+\.\d–\d+\.\d)\)/g)];
  expect(cells.length).toBe(9);
  const evaluation = textOf("eval/README.md");
  expect(cells.filter(([, figure, interval]) => !evaluation.includes(`${figure}  ${interval}`))).toEqual([]);
  const [, cuts, sessions] = /^(\d+) cuts of (\d+) transcripts/m.exec(evaluation)!;
  expect(readme).toContain(`${cuts} cuts of ${sessions} sessions, most of them of one repository`);
});

it("says what a gateway does by default", () => {
  expect([DEFAULTS.compression.threshold, readme.includes("once it fills half of its model's window")]).toEqual([
    0.5,
    true,
  ]);
  expect([DEFAULTS.prompt_caching.enabled, readme.includes("adds prompt-cache markers")]).toEqual([true, true]);
  expect([DEFAULTS.recall.tool, readme.includes("it has a tool for that, from the first compaction on")]).toEqual([
    "on",
    true,
  ]);
  expect(readme).not.toMatch(/everything else passes byte for byte|before anything is stored/);
});

it("says what is kept where, what the demonstration is, and who should not use precis", () => {
  expect(readme).toContain("**Originals are not masked.**");
  expect(readme).toContain("with `--keep FILE` here, and by default behind the gateway");
  expect(readme).toContain("This is a scripted demonstration");
  expect(readme).toContain("## Who should not use it");
});

it("says in its first lines what precis is, for whom, and what it does better", () => {
  const [first] = textOf("README.md").split("\n\n").slice(1);
  expect(first!.split("\n").length).toBeLessThanOrEqual(4);
  expect(first).toMatch(/keeps LLM agents working past their context window/);
  expect(first).toMatch(/It is for people who/);
  expect(first).toMatch(/An agent's own compaction asks a model/);
});
