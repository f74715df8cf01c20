/**
 * Where the library runs, and what it weighs there: bundled for a browser it needs no module of Node, and it gives the same
 * result with nothing but what every web platform has.
 */
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { sha256, sha256InJavaScript } from "../../src/platform/sha256.ts";
import { application, type Findings } from "./application.ts";
import { bundleSplit, bundleWhole } from "./bundle.ts";

const SRC = join(import.meta.dirname, "../../src");
const CORE_BYTES_MAX = 60_000;
/** Everything that a session needs, its engines included. */
const INDEX_BYTES_MAX = 280_000;
/** Of a bundle that uses one small export, minified. */
const SHAKEN_BYTES_MAX = 1_000;

/** Entries that no host is too small for. */
const ANYWHERE = ["core.ts", "index.ts", "engines.ts", "protocols/index.ts", "models/index.ts"];

/** What browsers and edge workers have beside the language; those of Node are left out on purpose. */
const WEB = {
  AbortController,
  AbortSignal,
  Headers,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  clearTimeout,
  performance,
  setTimeout,
};

describe("on a host without Node", () => {
  it.each(ANYWHERE)("src/%s needs none of its modules", async (path) => {
    const { code } = await bundleSplit(`export * from "./${path}";`, SRC);
    expect(code).not.toMatch(/\bfrom ?"node:|\bimport\("node:|\brequire\(/);
  });

  it("would notice one that did", async () => {
    await expect(bundleSplit(`export * from "./store/open.ts";`, SRC)).rejects.toThrow(/Could not resolve/);
  });

  it("compacts, recalls and hashes as it does here", async () => {
    const entries = { core: "./core.ts", index: "./index.ts" };
    const code = await bundleWhole(application(entries), SRC);
    const context = createContext({ ...WEB });
    runInContext(`(() => {${code}})()`, context, { importModuleDynamically: undefined });
    const elsewhere = await (context["findings"] as Promise<Findings>);

    const here = globalThis as { findings?: Promise<Findings> };
    await import(`data:text/javascript,${encodeURIComponent(application(sourceAddresses()))}`);
    expect(elsewhere).toEqual(await here.findings);
    expect(elsewhere).toMatchObject({ violations: 0, prepared: true });
    expect(elsewhere.after).toBeLessThan(elsewhere.counted / 3);
    expect(elsewhere.recalled).toBeGreaterThan(0);
  });

  it("hashes as Node does", () => {
    const texts = ["", "abc", "Überprüfung ✓ 你好 😀", "\ud800", "x".repeat(100_000)];
    expect(texts.map(sha256InJavaScript)).toEqual(texts.map(sha256));
  });
});

function sourceAddresses() {
  const address = (path: string): string => new URL(`file://${join(SRC, path)}`).href;
  return { core: address("core.ts"), index: address("index.ts") };
}

describe("the weight", () => {
  it(`of precis/core is below ${CORE_BYTES_MAX} bytes, minified and gzipped`, async () => {
    const core = await bundleSplit(`export * from "./core.ts";`, SRC);
    const all = await bundleSplit(`export * from "./index.ts";`, SRC);
    process.stdout.write(
      `precis/core: ${core.initialBytes} bytes at once, ${core.totalBytes} with a compaction; precis: ${all.initialBytes}\n`,
    );
    expect(core.initialBytes).toBeGreaterThan(CORE_BYTES_MAX / 2);
    expect(core.initialBytes).toBeLessThan(CORE_BYTES_MAX);
    expect(all.initialBytes).toBeLessThan(INDEX_BYTES_MAX);
  });

  it.each(["core.ts", "index.ts", "engines.ts"])("of an entry is what is used of it: src/%s", async (path) => {
    const name = path === "engines.ts" ? "ENGINE_NAMES" : "PrecisError";
    const code = await bundleWhole(`import { ${name} } from "./${path}"; console.log(${name});`, SRC);
    expect(code.length).toBeGreaterThan(0);
    expect(code.length).toBeLessThan(SHAKEN_BYTES_MAX);
  });
});
