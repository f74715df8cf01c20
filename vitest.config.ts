/**
 * How tests run. `npm test` leaves out the slow files (`*.slow.test.ts`: seconds each, mostly because they start the
 * command line or a gateway many times), draws some cases of each generated property and takes a fixed spread of the
 * corpus, the same every time, so that a change is judged by itself. `npm run test:slow` runs the slow files, and again
 * with all their cases those that made fewer. `npm run test:full` runs every file, makes 10,000 runs and draws new cases.
 * The number of runs and the place of the transcript corpus reach the tests through the environment.
 */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const RUNS_FAST = 40;
const RUNS_SLOW = 200;
const RUNS_FULL = 10_000;
const FOLDERS = "{test,eval/test,provider/test}";
const ALL_FILES = `${FOLDERS}/**/*.test.ts`;
const SLOW_FILES = `${FOLDERS}/**/*.slow.test.ts`;
/** What a file asks for that makes fewer cases in `npm test`. */
const FEWER_CASES = /\bfc\.assert\(|\bRUNS\b|\bspread\(|PRECIS_TEST_RUNS/;
const TEST_TIMEOUT_MS = 60_000;
const FULL_TEST_TIMEOUT_MS = 60 * 60_000;

export default defineConfig(({ mode }) => {
  const full = mode === "full";
  const slow = mode === "slow";
  const corpus = resolve(import.meta.dirname, process.env["PRECIS_CORPUS"] ?? "../shared/corpus");
  return {
    test: {
      include: slow ? [SLOW_FILES, ...filesOfFewerCases()] : [ALL_FILES],
      exclude: full || slow ? [] : [SLOW_FILES],
      setupFiles: full ? [] : ["test/support/same-draws.ts"],
      env: {
        PRECIS_TEST_RUNS: process.env["PRECIS_TEST_RUNS"] ?? String(full ? RUNS_FULL : slow ? RUNS_SLOW : RUNS_FAST),
        PRECIS_CORPUS: corpus,
        // The command line is started some hundred times; each start but the first finds its modules compiled.
        NODE_COMPILE_CACHE: resolve(import.meta.dirname, "node_modules/.cache/compiled"),
      },
      testTimeout: full ? FULL_TEST_TIMEOUT_MS : TEST_TIMEOUT_MS,
      hookTimeout: TEST_TIMEOUT_MS,
      maxWorkers: 2,
      // No file changes what another reads, so that a worker keeps its modules: a third of the time goes without.
      isolate: false,
      experimental: { viteModuleRunner: false, nodeLoader: false },
      // Most of what a test makes is gone with it: a larger young generation takes 4 % off the whole.
      execArgv: ["--max-semi-space-size=64"],
    },
  };
});

function filesOfFewerCases(): readonly string[] {
  return globSync(ALL_FILES, { cwd: import.meta.dirname }).filter((file) =>
    FEWER_CASES.test(readFileSync(resolve(import.meta.dirname, file), "utf8")),
  );
}
