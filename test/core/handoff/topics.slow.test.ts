/** A topic that a table forgets would get no tokens, and nobody would be told: leaving one out must not compile. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "precis-topics-"));
  cpSync(join(ROOT, "src", "core"), join(folder, "core"), { recursive: true });
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")) as Record<string, object>;
  const config = { compilerOptions: { ...compilerOptions, lib: ["ES2024", "DOM"], types: [] }, include: ["core"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function errors(): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [TSC, "--pretty", "false"], { cwd: folder, encoding: "utf8" });
  return stdout.split("\n").filter((line) => line.includes(": error "));
}

it("a topic without a definition does not compile", { timeout: 60_000 }, () => {
  expect(errors()).toEqual([]);
  const topics = join(folder, "core", "handoff", "sections", "topic.ts");
  const text = readFileSync(topics, "utf8");
  writeFileSync(topics, text.replace('  | "task"', '  | "task"\n  | "forgotten"'));
  expect(errors().filter((line) => line.includes("/sections/topics.ts(") && line.includes("'forgotten'"))).toHaveLength(
    1,
  );
});
