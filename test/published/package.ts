/** The package as npm gives it to somebody else: packed, and installed into an empty project by npm itself. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };

const ROOT = resolve(import.meta.dirname, "../..");
const PACKED = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "scripts",
  "src",
  "dashboard",
  ".claude-plugin",
  "deploy",
  "hosts",
  "docs",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
];

/** The folder of a project that has installed it. A copy is packed, so that the build of this checkout stays as it is. */
export function installPackage(): string {
  const project = mkdtempSync(join(tmpdir(), "precis-installed-"));
  const copy = join(project, "copy");
  mkdirSync(copy);
  for (const name of PACKED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  run(copy, "npm", ["pack", "--silent", "--pack-destination", project]);
  writeFileSync(join(project, "package.json"), `{ "type": "module" }`);
  run(project, "npm", ["install", "--silent", "--offline", `./precis-${manifest.version}.tgz`]);
  return project;
}

function run(cwd: string, command: string, words: readonly string[]): void {
  const { status, stderr, stdout } = spawnSync(command, words, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${words.join(" ")}: ${stderr}${stdout}`);
}
