/**
 * The virtual environment of the peers that are Python packages: made once from the pinned requirements, in a cache folder
 * outside of the repository. Without Python or the network there is none, and whoever asks for it is told why.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
/** The first is what the requirements were resolved for; hermes-agent takes these and no others. */
const INTERPRETERS = ["python3.11", "python3.12", "python3.13", "python3"];
const IS_FIT = "import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))";

/** The interpreter of the environment; throws where it was not made. */
export function pythonOfPeers(): string {
  const { interpreter, mark } = places();
  if (!existsSync(mark)) throw new Error(why ?? "its Python environment is not installed: run npm run bench:peers");
  return interpreter;
}

let why: string | undefined;

/** Makes the environment where it is missing; says on stderr why it could not, and the other peers are measured. */
export function installPythonPeers(): void {
  const { folder, interpreter, mark } = places();
  if (existsSync(mark)) return;
  const python = INTERPRETERS.find((name) => spawnSync(name, ["-c", IS_FIT]).status === 0);
  if (python === undefined) return giveUp("Python 3.11 to 3.13 with venv was not found");
  process.stderr.write(`installing the Python peers into ${folder} (once, some 760 MB)\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pinned = ["--require-hashes", "--only-binary", ":all:", "-r", REQUIREMENTS];
  const steps = [
    [python, "-m", "venv", folder],
    [interpreter, "-m", "pip", "install", "--quiet", "--retries", "1", ...pinned],
  ] as const;
  for (const [command, ...words] of steps) {
    const { status } = spawnSync(command, words, { stdio: ["ignore", 2, 2] });
    if (status !== 0) return giveUp("its Python packages could not be installed (is there a network?)");
  }
  writeFileSync(mark, "");
}

function giveUp(reason: string): void {
  why = reason;
  process.stderr.write(`The Python peers are skipped: ${reason}.\n`);
}

/** Another folder for other requirements, so that none is ever half of two. */
function places() {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const digest = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 12);
  const folder = join(cache, "precis-bench-peers", digest);
  return { folder, interpreter: join(folder, "bin", "python"), mark: join(folder, "installed") };
}
