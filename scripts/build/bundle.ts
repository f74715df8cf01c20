/** How the sources become the code of the package: options for esbuild, also used where the bundle is measured. */
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import manifest from "../../package.json" with { type: "json" };
import type { BuiltEntry } from "./entries.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SRC = join(ROOT, "src");
/** Below `dist/`: the chunks, side by side, so that a path from one to a file of the package is always the same. */
export const CODE_FOLDER = "lib";
/** What the user of an entry installs. An optional part of `pg` is asked for by name, and is not there. */
const EXTERNAL = [...Object.keys(manifest.peerDependencies), "pg-native"];

export function flatName(path: string): string {
  return path.replaceAll("/", "-");
}

export function bundleOptions(entries: readonly BuiltEntry[]) {
  return {
    absWorkingDir: ROOT,
    entryPoints: entries.map(({ path }) => ({ in: join(SRC, `${path}.ts`), out: flatName(path) })),
    outdir: join(ROOT, "dist", CODE_FOLDER),
    bundle: true,
    splitting: true,
    format: "esm",
    // Neither Node's modules nor a browser's fields are preferred: the core runs on both.
    platform: "node",
    target: "node22",
    chunkNames: "[name]-[hash]",
    legalComments: "none",
    charset: "utf8",
    external: EXTERNAL,
    // Its main file asks for its parts with a `require` that no bundler sees through.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    plugins: [addressPlugin, builtinPlugin],
    metafile: true,
    logLevel: "warning",
    // The check of the Node that it runs on, which every entry imports first: `npm run build` puts it before the bundle.
    logOverride: { "ignored-bare-import": "silent" },
  } satisfies BuildOptions;
}

/**
 * `import.meta.url` of a source file: the address of the file that it has among the entries, wherever its code is now.
 */
const addressPlugin: Plugin = {
  name: "addresses",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!path.startsWith(SRC) || !text.includes("import.meta.url")) return undefined;
      const file = JSON.stringify(`../${relative(SRC, path).replace(/\.ts$/, ".js")}`);
      return { loader: "ts", contents: text.replaceAll("import.meta.url", `new URL(${file}, import.meta.url).href`) };
    });
  },
};

/**
 * What CommonJS packages require of Node, asked of the process: an `import` would be in every chunk, and a chunk of the
 * core has to load where there is no Node.
 */
const builtinPlugin: Plugin = {
  name: "builtins",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[^.]/ }, ({ path, kind }) =>
      kind === "require-call" && isBuiltin(path)
        ? { path: path.replace(/^node:/, ""), namespace: "builtin" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};
