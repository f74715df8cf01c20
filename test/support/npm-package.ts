/**
 * A framework from npm in a folder of its own, `~/.cache/precis-clients` (or `XDG_CACHE_HOME`), made once for each version, for
 * those that are too large for a dependency. Install scripts do not run. Where it cannot be installed, tests are skipped with the reason.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const INSTALL_MS_MAX = 10 * 60_000;
const REASON_CHARS_MAX = 300;

export type NpmPackage =
  | { readonly kind: "installed"; readonly folder: string }
  | { readonly kind: "missing"; readonly because: string };

/** `packages` with their exact versions, such as `@mastra/core@1.71.0`. The first one names the folder. */
export async function installFromNpm(...packages: readonly string[]): Promise<NpmPackage> {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "precis-clients", packages[0]!.replace(/^@/, "").replaceAll(/[/@]/g, "-"));
  const done = join(folder, "installed");
  if (existsSync(done)) return { kind: "installed", folder };
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...packages];
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{"private":true}\n');
    await promisify(execFile)("npm", words, { cwd: folder, timeout: INSTALL_MS_MAX });
    await writeFile(done, `${packages.join(" ")}\n`);
    return { kind: "installed", folder };
  } catch (error) {
    return {
      kind: "missing",
      because: String((error as { stderr?: unknown }).stderr || error).slice(-REASON_CHARS_MAX),
    };
  }
}
