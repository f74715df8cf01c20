/** What the package promises outside its code: entries, scripts, the lock file, documented dependencies, examples. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { licenceList, licenceRows } from "../scripts/docs/licences.ts";
import { withGenerated } from "../scripts/docs/markdown.ts";

const ROOT = join(import.meta.dirname, "..");
const EXAMPLE_TOKENS_MIN = 60_000;
const EXAMPLES_BYTES_MAX = 1_500_000;
/** Folders that belong to a machine and not to the recorded project. */
const MACHINE_PATHS = /\/(?:tmp|root|home|Users|var|opt)\/|\/work\/|[A-Z]:\\/;

const text = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Licences that ask for nothing but to be named. Of two, either may be chosen. */
const PERMISSIVE = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "(MIT OR CC0-1.0)"]);

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
  readonly bugs: { readonly url: string };
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(text("package.json")) as Manifest;
const sourceOf = (built: string): string =>
  built
    .replace("./dist/", "src/")
    .replace(/^dist\//, "src/")
    .replace(/\.js$/, ".ts");

describe("the package", () => {
  it("has a source file behind every entry and executable", () => {
    const entries = Object.values(manifest.exports).filter((entry) => typeof entry === "object");
    const built = [...entries.map((entry) => entry.default), ...Object.values(manifest.bin)];
    expect(built.length).toBeGreaterThan(3);
    expect(built.map(sourceOf).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("has a file behind every script that runs one", () => {
    const files = Object.values(manifest.scripts).flatMap((script) =>
      [...script.matchAll(/\bnode (\S+\.ts)/g)].map((match) => match[1]!),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it("pins every version, and locks without naming a registry", () => {
    const versions = Object.entries(manifest.devDependencies);
    expect(manifest.dependencies).toBeUndefined();
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
    expect(text("package-lock.json")).not.toMatch(/"resolved": "[^"]*:/);
    expect(text(".npmrc")).not.toMatch(/^\s*(?:@[^=]*:)?registry/m);
  });

  it("says of every dependency why it is here, and of no other", () => {
    const documented = [...text("docs/dependencies.md").matchAll(/^\|([^|]*)\|/gm)].flatMap((row) =>
      [...row[1]!.matchAll(/`([^`]+)`/g)].map((name) => name[1]),
    );
    const declared = Object.keys(manifest.devDependencies);
    expect(documented.toSorted()).toEqual(declared.toSorted());
  });

  it("names the licence of every package that is in it, as `npm run docs` leaves them", async () => {
    const page = text("docs/dependencies.md");
    const rows = await licenceRows();
    expect(withGenerated(page, "licences", licenceList(rows))).toBe(page);
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter(([, , licence]) => !PERMISSIVE.has(licence!)).slice(1)).toEqual([]);
    for (const name of ["hono", "pg", "undici", "zod"]) expect(rows.map(([first]) => first)).toContain(name);
  });

  it("explains every function that an entry exports where an editor shows it", () => {
    const reports = readdirSync(join(ROOT, "etc"));
    expect(reports.length).toBe(Object.values(manifest.exports).filter((entry) => typeof entry === "object").length);
    const mute = reports.flatMap((file) =>
      [...text(`etc/${file}`).matchAll(/\(undocumented\)\nexport function (\w+)/g)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    expect(mute).toEqual([]);
  });

  it("says where it is planned to live, how to report a problem, and what its first version has", () => {
    const { version, repository, bugs } = manifest;
    expect(repository.url).toContain("github.com/precis-dev/precis");
    expect(bugs.url).toContain("github.com/precis-dev/precis");
    expect(text("CONTRIBUTING.md")).toContain("the planned ones");
    expect(text("SECURITY.md")).toMatch(/report/i);
    expect(text("CHANGELOG.md")).toMatch(
      new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m"),
    );
  });

  it("is tested by the README's own command", () => {
    const command = "npm ci && npm test";
    expect(text("README.md")).toContain(command);
    expect(text(".ci/run")).toContain(command);
    expect(statSync(join(ROOT, ".ci/run")).mode & 0o111).not.toBe(0);
  });
});

describe("the examples", () => {
  const files = ["examples/refunds.openai-chat.json", "examples/restart.claude-code.jsonl"];

  it("hold a session of over 60,000 tokens", () => {
    const body = JSON.parse(text(files[0]!)) as {
      messages: readonly { content?: string; tool_calls?: readonly unknown[] }[];
    };
    const tokens = body.messages.map(
      ({ content = "", tool_calls: calls = [] }) =>
        encode(content).length + (calls.length > 0 ? encode(JSON.stringify(calls)).length : 0),
    );
    expect(tokens.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(EXAMPLE_TOKENS_MIN);
  });

  it("name no machine", () => {
    expect(files.filter((path) => MACHINE_PATHS.test(text(path)))).toEqual([]);
  });

  it("stay small enough to clone", () => {
    expect(files.reduce((sum, path) => sum + statSync(join(ROOT, path)).size, 0)).toBeLessThan(EXAMPLES_BYTES_MAX);
  });
});
