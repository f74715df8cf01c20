/** The program as it was when its store knew fewer migrations, taken from the history of the repository. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../gateway/support/standing.ts";

const ROOT = join(import.meta.dirname, "../..");
const GIT_BYTES_MAX = 2 ** 28;

const git = (...words: readonly string[]): string =>
  execFileSync("git", words, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: GIT_BYTES_MAX,
  });

/** The newest commit whose `file` lists exactly that many migrations; undefined where there is no history to look in. */
export function commitWithMigrations(file: string, count: number): string | undefined {
  try {
    const commits = git("log", "--format=%H", "--", file).trim().split("\n");
    return commits.find((commit) => (git("show", `${commit}:${file}`).match(/^ {4}name: "/gm) ?? []).length === count);
  } catch {
    return undefined;
  }
}

/** Checks the program out into a folder that is gone after the test, with the packages of this one. */
export function checkOut(commit: string): string {
  const folder = join(temporaryFolder(), "old");
  mkdirSync(folder);
  execFileSync("sh", ["-c", `git archive ${commit} src package.json | tar -x -C "${folder}"`], { cwd: ROOT });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}
