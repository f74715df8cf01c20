/**
 * The package as somebody else has it: installed by npm into an empty project, and used through its
 * executable and its entry points, on the Node it needs and on an older one.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage } from "./published/package.ts";
import { REQUIRED_NODE } from "../src/platform/required-node.ts";

const ROOT = resolve(import.meta.dirname, "..");
const INSTALL_MS_MAX = 180_000;
/** Of these npm runs one where a package is installed, or asks whether it may. */
const CONSUMER_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
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

beforeAll(() => {
  project = installPackage();
  installed = join(project, "node_modules/precis");
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

/** The main calls, as a program makes them; what it says of types has to hold. */
const CONSUMER = `
import { checkRequest, compact, countTokens } from "precis/core";
import { createSession, type PrecisError } from "precis";

const messages = [{ role: "user", content: "Hello" }];
const small = await compact({ model: "gpt-5.6", messages }, { budget: 100 });
const again: { model: string; messages: { role: string; content: string }[] } = small.request;
const session = createSession({ protocol: "anthropic-messages", settings: { contextLength: 100_000 } });
const { request, compacted } = await session.prepare({ messages });
const text: string | undefined = request.messages[0]?.content;
session.on("compacted", ({ compaction }) => compaction.report.tokens.after satisfies number);
export const found = [again, text, compacted satisfies boolean, countTokens({ messages }) satisfies number];
export const codes = checkRequest({ messages }).map(({ code }) => code satisfies string);
export const hintOf = (error: PrecisError): string | undefined => error.hint;
// @ts-expect-error: there is no such protocol.
createSession({ protocol: "openai" });
`;

/** What TypeScript says of files of the project, as strictly as it can be asked. */
function typeErrors({ files, ...options }: { readonly files: readonly string[]; readonly [option: string]: unknown }) {
  const compilerOptions = {
    target: "ES2024",
    lib: ["ES2024", "DOM", "DOM.AsyncIterable"],
    module: "NodeNext",
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    ...options,
  };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" }).stdout;
}

/** Imports every entry point, one after the other, and prints the message of each failure. */
const IMPORT_ALL = `for (const name of ${JSON.stringify(entries)})
  await import(name).then(() => console.log(name + ": loaded"), (error) => console.log(name + ": " + error.message));`;

describe("the installed package", () => {
  it("answers --version", () => {
    const { status, stdout } = node(process.execPath, [join(installed, "dist/cli/bin.js"), "--version"]);
    expect([status, stdout.trim()]).toEqual([0, manifest.version]);
  });

  it("starts the gateway, with nothing else installed", async () => {
    const words = [join(installed, "dist/cli/bin.js"), "serve", "--port", "0", "--json"];
    const gateway = spawn(process.execPath, words, { cwd: project, env: { HOME: project } });
    const exited = once(gateway, "exit");
    try {
      const [line] = (await once(createInterface(gateway.stdout), "line")) as [string];
      const { url } = JSON.parse(line) as { readonly url: string };
      const [ready, metrics] = await Promise.all([fetch(`${url}/_precis/ready`), fetch(`${url}/_precis/metrics`)]);
      expect([ready.status, metrics.status]).toEqual([200, 401]);
    } finally {
      gateway.kill("SIGTERM");
    }
    expect(await exited).toEqual([0, null]);
  });

  it("answers over the Model Context Protocol", () => {
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`;
    const words = [join(installed, "dist/cli/bin.js"), "mcp"];
    const { stdout } = spawnSync(process.execPath, words, { input, encoding: "utf8", env: { HOME: project } });
    expect(JSON.parse(stdout)).toMatchObject({ result: { serverInfo: { name: "precis" } } });
  });

  it("keeps a store and finds secrets by every entry that has threads or rules of its own", () => {
    const program = `import { openStore } from "precis/store"; import { createRedactor, loadSecretRules } from "precis/secrets";
      const store = await openStore("history.db"); await store.close();
      const redactor = createRedactor(await loadSecretRules({}));
      console.log(typeof redactor, (await import("node:fs")).existsSync("history.db"));`;
    const { stdout, stderr } = node(process.execPath, ["--input-type=module", "--eval", program]);
    expect([stdout, stderr]).toEqual(["function true\n", ""]);
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

  it("has types for strict programs, with no other package and, but for the gateway's, without those of Node", () => {
    const typesOfNode = join(ROOT, "node_modules/@types");
    const program = (...names: readonly string[]): string =>
      names.map((name, at) => `export * as entry${at} from ${JSON.stringify(name)};`).join("\n");
    writeFileSync(join(project, "anywhere.ts"), `${program("precis/plugins", "precis/models")}\n${CONSUMER}`);
    const own = entries.filter((name) => FRAMEWORKS[name] === undefined);
    writeFileSync(join(project, "node.ts"), program(...own));
    expect(typeErrors({ files: ["anywhere.ts"], types: [] })).toBe("");
    expect(typeErrors({ files: ["node.ts"], types: ["node"], typeRoots: [typesOfNode] })).toBe("");
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
