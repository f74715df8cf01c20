/**
 * The package as somebody else has it: packed, put into an empty project beside its dependencies, and used through its
 * executable and its entry points, on the Node it needs and on an older one.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REQUIRED_NODE } from "../src/platform/required-node.ts";

const ROOT = resolve(import.meta.dirname, "..");
const PACKED = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "src",
  "dashboard",
  "scripts/build-dashboard.ts",
  "docs",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
];
const INSTALL_MS_MAX = 180_000;
/** Of these npm runs one where a package is installed, or asks whether it may. */
const CONSUMER_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
const entries = Object.keys(manifest.exports)
  .filter((name) => name !== "./package.json")
  .map((name) => `precis${name.slice(1)}`);

/** Entries that are of use only beside their framework, which is an optional peer. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  "precis/ai-sdk": "ai",
  "precis/langchain": "langchain",
  "precis/openai-agents": "@openai/agents",
};

let project: string;
let installed: string;

/** Packs a copy, so that the build of this checkout stays as it is while other tests run. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "precis-installed-"));
  const copy = join(project, "copy");
  mkdirSync(copy);
  for (const name of PACKED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const run = (command: string, words: readonly string[]): void => {
    const { status, stderr } = spawnSync(command, words, { cwd: copy, encoding: "utf8" });
    if (status !== 0) throw new Error(`${command} ${words.join(" ")}: ${stderr}`);
  };
  run("npm", ["pack", "--silent", "--pack-destination", project]);
  installed = join(project, "node_modules/precis");
  mkdirSync(installed, { recursive: true });
  const archive = join(project, `precis-${manifest.version}.tgz`);
  run("tar", ["xzf", archive, "--strip-components=1", "-C", installed]);
  for (const name of Object.keys(manifest.dependencies)) install(name);
  writeFileSync(join(project, "package.json"), `{ "type": "module" }`);
}, INSTALL_MS_MAX);
afterAll(() => rmSync(project, { recursive: true, force: true }));

function install(name: string): void {
  const link = join(project, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), link);
}

function node(program: string, words: readonly string[]) {
  return spawnSync(program, words, {
    cwd: project,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: project },
  });
}

/** Imports every entry point, one after the other, and prints the message of each failure. */
const IMPORT_ALL = `for (const name of ${JSON.stringify(entries)})
  await import(name).then(() => console.log(name + ": loaded"), (error) => console.log(name + ": " + error.message));`;

describe("the installed package", () => {
  it("answers --version", () => {
    const { status, stdout } = node(process.execPath, [join(installed, "dist/cli/bin.js"), "--version"]);
    expect([status, stdout.trim()]).toEqual([0, manifest.version]);
  });

  it("loads by every entry point, those of frameworks beside their framework", () => {
    const load = (): readonly string[] =>
      node(process.execPath, ["--input-type=module", "--eval", IMPORT_ALL]).stdout.trim().split("\n");
    expect(load()).toEqual(
      entries.map((name) => {
        const framework = FRAMEWORKS[name];
        const missing = expect.stringContaining(`${name}: Cannot find package '${framework}'`) as string;
        return framework === undefined ? `${name}: loaded` : missing;
      }),
    );
    for (const framework of Object.values(FRAMEWORKS)) install(framework);
    expect(load()).toEqual(entries.map((name) => `${name}: loaded`));
  });

  it("brings the dashboard, and the licences of what is bundled in it", () => {
    const built = join(installed, "dist/gateway/dashboard/browser");
    const page = readFileSync(join(built, "index.html"), "utf8");
    const named = [...page.matchAll(/(?:src|href)="\/_precis\/([^"]+\.\w+)"/g)].map((match) => match[1]!);
    expect(named.map((name) => name.replace(/-[A-Z0-9]{8}/, ""))).toEqual(["icon.svg", "main.css", "main.js"]);
    expect(named.filter((name) => !existsSync(join(built, name)))).toEqual([]);
    const licences = readFileSync(join(built, "licences.txt"), "utf8");
    for (const name of ["preact", "uplot", "diff"]) expect(licences).toContain(`${name}\n\n`);
  });

  it("asks its consumer's npm to run nothing", () => {
    const { scripts } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest;
    expect(Object.keys(scripts).filter((name) => CONSUMER_SCRIPTS.includes(name))).toEqual([]);
  });

  it("holds no sources, tests or machine's files", () => {
    expect(
      ["src", "test", "examples", "node_modules", "tsconfig.json"].filter((name) => existsSync(join(installed, name))),
    ).toEqual([]);
  });
});

describe("an older Node", () => {
  const needed = REQUIRED_NODE.join(".");

  it("is older than what package.json asks for", () => {
    expect(manifest.engines.node).toBe(`>=${needed}`);
  });

  it.each(["20.20.2", "22.18.0"])("%s is named by every entry point before anything else loads", (version) => {
    const older = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} });`;
    const preload = `data:text/javascript,${encodeURIComponent(older)}`;
    const { stdout } = node(process.execPath, ["--import", preload, "--input-type=module", "--eval", IMPORT_ALL]);
    expectRefusals(stdout, version);
  });

  const old = olderNode();
  it.skipIf(old === undefined)(`for real (${old?.version ?? "there is none on PATH"})`, () => {
    const { program, version } = old!;
    const script = join(project, "all.mjs");
    writeFileSync(script, IMPORT_ALL);
    expectRefusals(node(program, [script]).stdout, version);
    const { status, stderr } = node(program, [join(installed, "dist/cli/bin.js"), "--version"]);
    expect(status).toBe(2);
    expect(stderr).toContain(`this is Node ${version}; precis needs Node ${needed} or newer`);
  });

  function expectRefusals(stdout: string, version: string): void {
    const lines = stdout.trim().split("\n");
    expect(lines.length).toBe(entries.length);
    for (const [at, name] of entries.entries())
      expect(lines[at]).toContain(`${name}: precis: this is Node ${version}; precis needs Node ${needed} or newer`);
  }
});

/** The first Node on PATH that knows modules and is too old. */
function olderNode(): { readonly program: string; readonly version: string } | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const program = join(folder, "node");
    if (!existsSync(program)) continue;
    const version = spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim().slice(1);
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const old = major < REQUIRED_NODE[0] || (major === REQUIRED_NODE[0] && minor < REQUIRED_NODE[1]);
    if (old && major >= 14) return { program, version };
  }
  return undefined;
}
