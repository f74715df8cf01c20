/** The tests as someone runs them who has cloned only this repository: no suite may be empty because the corpus is absent. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const CORPUS_MODULE = join(ROOT, "test/support/corpus.ts");
/** No test is called this: vitest collects every suite, and runs none of their tests. */
const NO_TEST = "the name of no test";
const RUN_MS_MAX = 180_000;

it("every suite that reads the corpus has a test without it", { timeout: RUN_MS_MAX }, () => {
  const files = testsThatImport(CORPUS_MODULE);
  expect(files.length).toBeGreaterThan(15);
  const empty = mkdtempSync(join(tmpdir(), "precis-no-corpus-"));
  const ran = spawnSync(
    process.execPath,
    [VITEST, "run", "--mode=full", "--maxWorkers=1", "--testNamePattern", NO_TEST, ...files],
    { cwd: ROOT, encoding: "utf8", env: { PATH: process.env["PATH"], NO_COLOR: "1", PRECIS_CORPUS: empty } },
  );
  rmSync(empty, { recursive: true });
  expect(ran.stderr.match(/No test found in suite .*/g) ?? []).toEqual([]);
  expect(ran.stdout).toMatch(/Tests +\d+ skipped/);
  expect(ran.status).toBe(0);
});

/** Test files that reach a module through relative imports, directly or by way of another file of the tests. */
function testsThatImport(module: string): readonly string[] {
  const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(ROOT, "test", name));
  const reaching = new Set([module]);
  for (let before = 0; before < reaching.size;) {
    before = reaching.size;
    for (const file of files) if (importsOf(file).some((one) => reaching.has(one))) reaching.add(file);
  }
  return [...reaching].filter((file) => file.endsWith(".test.ts")).map((file) => relative(ROOT, file));
}

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g)].map((match) => resolve(dirname(file), match[1]!));
