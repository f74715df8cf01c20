/** The measure is written down elsewhere too, in another language: both mark the same contexts alike, case by case. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baselineResults, engineResults } from "../../src/measure/contest.ts";
import { cutsOf, EVALUATION_CUTS } from "../../src/recall/cuts.ts";
import { createExam } from "../../src/recall/exam.ts";
import type { ChatMessage } from "../../src/recall/future-use.ts";
import { createReader } from "../../src/recall/reader.ts";
import { CORPUS, hasCorpus } from "../../../test/support/corpus.ts";

const DEFINITION = resolve(CORPUS, "../measure/recall.py");
const SCRIPT = join(import.meta.dirname, "recall-agrees.py");
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
    const reader = createReader();
    const [cut] = cutsOf(
      JSON.parse(readFileSync(join(CORPUS, FILE), "utf8")) as ChatMessage[],
      reader,
      EVALUATION_CUTS,
    );
    const exam = createExam(cut!, reader);
    const results = [
      ...baselineResults(cut!, reader, [BUDGET]),
      ...(await engineResults(cut!, reader, { engine: "compressor", budgets: [BUDGET] })),
    ];
    expect(results.length).toBe(4);
    for (const [at, { contestant, size, text, recallable }] of results.entries()) {
      const { prefix, rest } = cut!;
      const marked = { contestant, budget: size, prefix, continuation: rest, kept: text };
      writeFileSync(join(folder, `${at}.json`), JSON.stringify({ ...marked, score: exam.score(text, recallable) }));
    }
    const { stdout, stderr } = spawnSync("python3", [SCRIPT, DEFINITION, folder], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/cover +10%/);
    expect(stdout).toContain("cases marked differently: 0");
  });
});
