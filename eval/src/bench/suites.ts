/**
 * The public suites, in a virtual environment that is made once from their names and versions, outside of the repository. They run in
 * Python; the compactions that they ask for are made here.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PrecisError } from "../../../src/core/errors.ts";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
const SCRIPT = join(import.meta.dirname, "suites.py");
/** compaction-conformance-kit takes 3.11 and later. */
const INTERPRETERS = ["python3.13", "python3.12", "python3.11", "python3"];
const IS_FIT = "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] < (3, 11))";

/** A compaction that a suite asks for. */
export interface SuiteQuestion {
  readonly compactor: string;
  /** Role and text of each turn. */
  readonly turns: readonly (readonly [role: string, text: string])[];
  /** Characters of the answer at most. */
  readonly budget: number | null;
}

export type Answering = (question: SuiteQuestion) => Promise<string>;

/** Its interpreter where it was made already. */
export function installedSuites(): string | undefined {
  const { interpreter, mark } = places();
  return existsSync(mark) ? interpreter : undefined;
}

/** Makes the environment where it is missing, and answers with its interpreter. @throws PrecisError `no_suites`. */
export function installSuites(): string {
  const { folder, interpreter, mark } = places();
  if (existsSync(mark)) return interpreter;
  const python = INTERPRETERS.find((name) => spawnSync(name, ["-c", IS_FIT]).status === 0);
  if (python === undefined) throw noSuites("Python 3.11 or later with venv was not found");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Of conpact only its constraints are read, so nothing that it depends on is installed.
  const install = ["-m", "pip", "install", "--quiet", "--no-deps", "-r", REQUIREMENTS];
  for (const [command, ...words] of [
    [python, "-m", "venv", folder],
    [interpreter, ...install],
  ] as const) {
    const { status } = spawnSync(command, words, { stdio: ["ignore", 2, 2] });
    if (status !== 0) throw noSuites("the suites could not be installed from PyPI");
  }
  writeFileSync(mark, "");
  return interpreter;
}

/** Another folder for other versions, so that none is ever half of two. */
function places() {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const digest = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  const folder = join(cache, "precis-bench-suites", digest);
  return { folder, interpreter: join(folder, "bin", "python"), mark: join(folder, "installed") };
}

function noSuites(because: string): PrecisError {
  return new PrecisError(`The suites are not there: ${because}.`, {
    code: "no_suites",
    hint: "Install Python 3.11 or later, and run it once with access to PyPI.",
  });
}

/** Runs one suite to its end. @throws PrecisError `suite_failed`. */
export async function runSuite<Result>(interpreter: string, request: object, answer?: Answering): Promise<Result> {
  const child = spawn(interpreter, [SCRIPT], { stdio: ["pipe", "pipe", "pipe"] });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints = (complaints + text).slice(-2_000)));
  child.stdin.write(`${JSON.stringify(request)}\n`);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const said = JSON.parse(line) as Partial<SuiteQuestion> & { readonly result?: Result };
      if (said.result !== undefined) return said.result;
      const text = await answer!(said as SuiteQuestion);
      child.stdin.write(`${JSON.stringify({ text })}\n`);
    }
  } finally {
    child.kill();
  }
  throw new PrecisError(`A suite ended early: ${complaints.trim().split("\n").at(-1) ?? ""}`, {
    code: "suite_failed",
    hint: "Run it again; if it fails again, its version may not fit.",
  });
}
