/**
 * The installed package on every host that it is for: Node, Bun, Deno, and a browser. The same program runs on each and
 * has to find the same. Hosts that are not on this machine are skipped, by name.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { application, type Findings } from "./application.ts";
import { bundleWhole } from "./bundle.ts";
import { installPackage } from "./package.ts";

const INSTALL_MS_MAX = 180_000;
const BROWSER_MS_MAX = 60_000;
const INSTALLED_BYTES_MAX = 15_000_000;
/** How many times what Node takes to start; `precis` has everything at once. */
const IMPORT_STARTS_MAX: Readonly<Record<string, number>> = { "precis/core": 1.5, precis: 7 };
const IMPORTS = 7;

const BROWSER_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The first of these programs on PATH. */
function onPath(...names: readonly string[]): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

const browser = onPath("chromium", "chromium-browser", "google-chrome");
const bun = onPath("bun");
const deno = onPath("deno");

const text = application({ core: "precis/core", index: "precis" });
let project: string;
let expected: Findings;

beforeAll(() => {
  project = installPackage();
  writeFileSync(join(project, "program.js"), `${text}\nconsole.log(JSON.stringify(await globalThis.findings));\n`);
  expected = findingsOf(process.execPath, ["program.js"]);
}, INSTALL_MS_MAX);
afterAll(() => rmSync(project, { recursive: true, force: true }));

function findingsOf(program: string, words: readonly string[]): Findings {
  const environment = { PATH: process.env["PATH"], HOME: project, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: project, encoding: "utf8", env: environment });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
  return JSON.parse(stdout) as Findings;
}

describe("the same program", () => {
  it("compacts validly on Node", () => {
    expect(expected).toMatchObject({ violations: 0, prepared: true });
    expect(expected.after).toBeLessThan(expected.counted / 3);
    expect(expected.recalled).toBeGreaterThan(0);
  });

  it.skipIf(bun === undefined)(`finds the same on Bun (${bun ?? "there is none on PATH"})`, () => {
    expect(findingsOf(bun!, ["run", "program.js"])).toEqual(expected);
  });

  it.skipIf(deno === undefined)(`finds the same on Deno (${deno ?? "there is none on PATH"})`, () => {
    expect(findingsOf(deno!, ["run", "--no-remote", "--node-modules-dir=manual", "program.js"])).toEqual(expected);
  });

  it.skipIf(browser === undefined)(`finds the same in Chromium (${browser ?? "there is none on PATH"})`, async () => {
    const code = await bundleWhole(text, project);
    expect(await inBrowser(code)).toEqual(expected);
  });
});

/** Serves a page with the code, and opens it; the page sends what it found back. */
async function inBrowser(code: string): Promise<Findings> {
  const profile = mkdtempSync(join(tmpdir(), "precis-browser-"));
  const answer = Promise.withResolvers<string>();
  const report = `globalThis.findings.then(JSON.stringify, (error) => "failed: " + error.stack)
    .then((body) => fetch("/findings", { method: "POST", body }));`;
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => answer.resolve(body));
      response.end();
    } else if (request.url === "/code.js") {
      response.setHeader("content-type", "text/javascript; charset=utf-8").end(`${code}\n${report}`);
    } else {
      response.setHeader("content-type", "text/html").end(`<script type="module" src="/code.js"></script>`);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const started = spawn(
    browser!,
    [...BROWSER_FLAGS, `--user-data-dir=${profile}`, "--remote-debugging-port=0", address],
    {
      stdio: "ignore",
    },
  );
  const exited = once(started, "exit");
  const late = setTimeout(() => answer.reject(new Error("the page did not answer")), BROWSER_MS_MAX);
  try {
    const body = await answer.promise;
    if (body.startsWith("failed: ")) throw new Error(body);
    return JSON.parse(body) as Findings;
  } finally {
    clearTimeout(late);
    started.kill();
    await exited;
    server.close();
    server.closeAllConnections();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

describe("the installation", () => {
  it(`brings one package of less than ${INSTALLED_BYTES_MAX} bytes`, () => {
    const modules = join(project, "node_modules");
    const names = readdirSync(modules).filter((name) => !name.startsWith("."));
    const bytes = bytesBelow(modules);
    process.stdout.write(`installed: ${names.length} package, ${bytes} bytes\n`);
    expect(names).toEqual(["precis"]);
    expect(bytes).toBeLessThan(INSTALLED_BYTES_MAX);
  });

  it.each(["core.js", "index.js", "engines.js"])("loads no module of Node with dist/%s", (entry) => {
    const { files, others } = filesBehind(join(project, "node_modules/precis/dist", entry));
    expect(files).toBeGreaterThan(3);
    expect(others).toEqual([]);
  });

  it.each(Object.entries(IMPORT_STARTS_MAX))("imports %s in less than %d starts of Node", (entry, most) => {
    const { importMs, startMs } = importTimes(entry);
    process.stdout.write(`processor time: ${entry} ${importMs.toFixed(1)} ms, Node's start ${startMs.toFixed(1)} ms\n`);
    expect(importMs / startMs).toBeLessThan(most);
  });

  it("has every command of the command line", () => {
    const bin = join(project, "node_modules/precis/dist/cli/bin.js");
    const precis = (...words: readonly string[]) =>
      spawnSync(process.execPath, [bin, ...words], { cwd: project, encoding: "utf8", env: { HOME: project } });
    const names = [...precis("--help").stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name!);
    expect(names).toContain("setup");
    const failed = names.filter((name) => precis(name, "--help").status !== 0);
    expect(failed).toEqual([]);
    const set = precis("setup", "pi", "--yes");
    expect([set.status, set.stderr]).toEqual([0, ""]);
    expect(readFileSync(join(project, ".pi/agent/settings.json"), "utf8")).toContain(join("node_modules", "precis"));
  });

  it("has the licences of the code in it", () => {
    const licences = readFileSync(join(project, "node_modules/precis/dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const name of ["undici", "zod", "pg", "@noble/hashes"]) expect(licences).toContain(`\n${name} `);
  });
});

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((total, file) => total + readFileSync(join(file.parentPath, file.name)).length, 0);
}

/** Files that a file imports, itself included, and whatever else is imported by them, `import()` left out. */
function filesBehind(entry: string): { readonly files: number; readonly others: readonly string[] } {
  const seen = new Set([entry]);
  const others: string[] = [];
  for (const path of seen) {
    for (const [, specifier] of readFileSync(path, "utf8").matchAll(/^(?:import|export)\b[^;"]*?"([^"]+)";$/gm)) {
      if (specifier!.startsWith(".")) seen.add(resolve(dirname(path), specifier!));
      else others.push(`${relative(project, path)} imports ${specifier}`);
    }
  }
  return { files: seen.size, others };
}

/**
 * Processor time of the import and of Node's start before it, each the least of several: what the machine does beside it
 * does not count, and how fast the machine is counts for both.
 */
function importTimes(entry: string): { readonly importMs: number; readonly startMs: number } {
  const program = `const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    const startMs = spent(); await import(${JSON.stringify(entry)});
    console.log(JSON.stringify({ startMs, importMs: spent() - startMs }));`;
  const words = ["--input-type=module", "--eval", program];
  const times = Array.from({ length: IMPORTS }, () => {
    const { stdout } = spawnSync(process.execPath, words, { cwd: project, encoding: "utf8", env: {} });
    return JSON.parse(stdout) as { readonly importMs: number; readonly startMs: number };
  });
  expect(times.every(({ importMs, startMs }) => importMs > 0 && startMs > 0)).toBe(true);
  return {
    importMs: Math.min(...times.map((time) => time.importMs)),
    startMs: Math.min(...times.map((time) => time.startMs)),
  };
}
