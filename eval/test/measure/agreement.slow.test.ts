/** The measure is written down elsewhere too, in another language: both mark the same contexts alike, case by case. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { examine } from "../../src/measure/examine.ts";
import type { Finding } from "../../src/measure/plan.ts";
import { CORPUS, hasCorpus } from "../../../test/support/corpus.ts";

const DEFINITION = resolve(CORPUS, "../measure/recall.py");
const SCRIPT = resolve(import.meta.dirname, "../../scripts/recall-agrees.py");
const FILE = "openai/whowhen__hc41.json";
const BUDGET = 0.1;

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const canCompare = hasCorpus && hasPython && existsSync(DEFINITION);
const title = canCompare ? "" : ` (skipped: needs the corpus, python3 and ${DEFINITION})`;

describe.skipIf(!canCompare)(`the other implementation${title}`, () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "precis-agreement-"))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("marks what every contestant kept as this one does", async () => {
    const path = join(CORPUS, FILE);
    const source = { path, name: FILE, bytes: statSync(path).size, named: true };
    const plan = { budgets: [BUDGET], engines: ["compressor"], exportFolder: folder };
    const findings: Finding[] = [];
    for await (const one of examine({ source, places: [0], keys: ["0"], plan })) findings.push(one);
    expect(findings.length).toBe(1);
    expect(readdirSync(folder).length).toBe(findings[0]!.marks.length);
    const { stdout, stderr } = spawnSync("python3", [SCRIPT, DEFINITION, folder], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/cover +10%/);
    expect(stdout).toContain("cases marked differently: 0");
  });
});
