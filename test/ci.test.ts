/**
 * `.ci/run` itself, with a stand-in for npm that writes down where it was called and what it saw: the tests run here with
 * the corpus and in a clone without it, and a failure of either fails the whole.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";

const SCRIPT = resolve(import.meta.dirname, "../.ci/run");
const MADE: string[] = [];
afterEach(() => MADE.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

/** Runs the script in a repository of its own, with a corpus beside it; `failing` is a place and an npm command. */
function ci(failing = "") {
  const folder = mkdtempSync(join(tmpdir(), "precis-ci-"));
  MADE.push(folder);
  const checkout = join(folder, "checkout");
  mkdirSync(join(folder, "shared/corpus"), { recursive: true });
  mkdirSync(join(folder, "bin"));
  cpSync(SCRIPT, join(checkout, ".ci/run"));
  writeFileSync(join(checkout, "not-committed"), "");
  const calls = join(folder, "calls");
  writeFileSync(
    join(folder, "bin/npm"),
    `#!/bin/sh
place=clone; if [ -e not-committed ]; then place=here; fi
echo "$place: npm $* (corpus: \${PRECIS_CORPUS:+yes})" >> ${calls}
if [ "$1" = test ] && [ "$place $1" = "${failing}" ]; then echo ' Tests  2 failed | 5 passed | 1 skipped (8)'; exit 1; fi
if [ "$1" = test ]; then echo ' Tests  7 passed | 1 skipped (8)'; fi
if [ "$2" = test:slow ]; then echo ' Tests  3 passed (3)'; fi
if [ "$place $1" = "${failing}" ]; then exit 1; fi
`,
    { mode: 0o755 },
  );
  const environment = {
    PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter),
    HOME: folder,
    GIT_AUTHOR_NAME: "ci",
    GIT_AUTHOR_EMAIL: "ci@localhost",
    GIT_COMMITTER_NAME: "ci",
    GIT_COMMITTER_EMAIL: "ci@localhost",
  };
  const run = (command: string, words: readonly string[]) =>
    spawnSync(command, words, { cwd: checkout, encoding: "utf8", env: environment });
  for (const words of [
    ["init", "--quiet"],
    ["add", ".ci/run"],
    ["commit", "--quiet", "--message", "ci"],
  ])
    expect(run("git", words)).toMatchObject({ status: 0 });
  const { status, stdout } = run("bash", [".ci/run"]);
  return { status, last: stdout.trimEnd().split("\n").at(-1), calls: readFileSync(calls, "utf8").trim().split("\n") };
}

it("runs the tests with the corpus, and from npm ci on in a clone with nothing beside it", () => {
  expect(ci()).toEqual({
    status: 0,
    last: "10 passed, 0 failed, 1 skipped",
    calls: [
      "here: npm ci (corpus: yes)",
      "here: npm test (corpus: yes)",
      "here: npm run test:slow (corpus: yes)",
      "clone: npm ci (corpus: )",
      "clone: npm start (corpus: )",
      "clone: npm test (corpus: )",
      "here: npm run check (corpus: )",
    ],
  });
});

it.each([
  ["here test", "5 passed, 2 failed, 1 skipped"],
  ["clone test", "10 passed, 2 failed, 1 skipped"],
  ["clone start", "10 passed, 0 failed, 1 skipped"],
  ["clone ci", "10 passed, 0 failed, 1 skipped"],
  ["here run", "10 passed, 0 failed, 1 skipped"],
])("fails when %s fails", (failing, last) => {
  expect(ci(failing)).toMatchObject({ status: 1, last });
});
