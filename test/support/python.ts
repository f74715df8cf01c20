/**
 * Programs from PyPI, each in an environment of its own under `~/.cache/precis-clients` (or `XDG_CACHE_HOME`), made once
 * for each version. Where one cannot be installed, the reason is given and tests are skipped with it.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const INSTALL_MS_MAX = 10 * 60_000;
const REASON_CHARS_MAX = 300;

export type PythonProgram =
  | { readonly kind: "installed"; readonly bin: string }
  | { readonly kind: "missing"; readonly because: string };

/** `requirement` is a package with its exact version, such as `litellm[proxy]==1.108.7`. */
export async function installFromPyPI(name: string, requirement: string): Promise<PythonProgram> {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const version = requirement.split("==")[1] ?? "latest";
  const folder = join(cache, "precis-clients", `${name}-${version}`);
  const bin = join(folder, "bin");
  const done = join(folder, "installed");
  if (existsSync(done)) return { kind: "installed", bin };
  const run = (program: string, words: readonly string[]) =>
    promisify(execFile)(program, words, { timeout: INSTALL_MS_MAX });
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await run("python3", ["-m", "venv", folder]);
    await run(join(bin, "pip"), ["install", "--quiet", "--disable-pip-version-check", requirement]);
    await writeFile(done, `${requirement}\n`);
    return { kind: "installed", bin };
  } catch (error) {
    return {
      kind: "missing",
      because: String((error as { stderr?: unknown }).stderr || error).slice(-REASON_CHARS_MAX),
    };
  }
}
