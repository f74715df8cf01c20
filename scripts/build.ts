/**
 * `npm run build`: what is published. Types are TypeScript's own output; code is bundled by esbuild, so that an
 * installation needs no other package and an entry loads few files. All entries are built at once and share their
 * chunks: a class is the same by whichever entry it is reached.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Metafile } from "esbuild";
import { bundleOptions, CODE_FOLDER, flatName } from "./build/bundle.ts";
import { buildDashboard } from "./build-dashboard.ts";
import { builtEntries, type BuiltEntry } from "./build/entries.ts";
import { licenceTexts } from "./build/licence-texts.ts";
import { removeUnreachableTypes } from "./build/types.ts";
import manifest from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const NODE_CHECK = "platform/refuse-old-node";
const EXECUTABLE_MODE = 0o755;

rmSync(DIST, { recursive: true, force: true });
const entries = builtEntries(manifest);
writeTypes();
const { metafile } = await build(bundleOptions(entries));
writeEntries(entries, metafile);
writeFileSync(join(DIST, "THIRD-PARTY-LICENSES.txt"), licenceTexts(metafile));
await buildDashboard(join(DIST, "gateway/dashboard/browser"));

function writeTypes(): void {
  const words = ["-p", "tsconfig.build.json"];
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, ...words], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  removeUnreachableTypes(
    DIST,
    entries.filter(({ isPublic }) => isPublic).map(({ path }) => `${path}.d.ts`),
  );
}

/** A file a entry, where the sources have theirs: it checks the Node that it runs on, and then loads the code. */
function writeEntries(all: readonly BuiltEntry[], { outputs }: Metafile): void {
  for (const { path, isExecutable } of all) {
    const to = (target: string): string => {
      const way = relative(dirname(path), target);
      return JSON.stringify(way.startsWith(".") ? way : `./${way}`);
    };
    const code = `${CODE_FOLDER}/${flatName(path)}.js`;
    const { exports = [] } = outputs[`dist/${code}`] ?? {};
    const file = join(DIST, `${path}.js`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      [
        ...(isExecutable ? ["#!/usr/bin/env node"] : []),
        ...(path === NODE_CHECK || isExecutable ? [] : [`import ${to(`${CODE_FOLDER}/${flatName(NODE_CHECK)}.js`)};`]),
        exports.length > 0 ? `export * from ${to(code)};` : `import ${to(code)};`,
        ...(exports.includes("default") ? [`export { default } from ${to(code)};`] : []),
        "",
      ].join("\n"),
    );
    if (isExecutable) chmodSync(file, EXECUTABLE_MODE);
  }
}
