/** The entries as an application has them: bundled for a browser, with what is loaded at once apart from what is loaded later. */
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import manifest from "../../package.json" with { type: "json" };

/** What its user installs beside precis, to ask a model. */
const EXTERNAL = Object.keys(manifest.peerDependencies);

export interface Bundled {
  /** Of the files that are loaded with the entry, minified and gzipped. */
  readonly initialBytes: number;
  /** Of all files. */
  readonly totalBytes: number;
  /** Of all files. */
  readonly code: string;
}

/** How a bundler is asked; it fails on a module that only Node has. */
function optionsOf(text: string, folder: string) {
  return {
    stdin: { contents: text, resolveDir: folder, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    external: EXTERNAL,
    logLevel: "silent",
    write: false,
    outdir: "out",
  } as const;
}

/** A module's text, whose imports are found from the folder, in one file. */
export async function bundleWhole(text: string, folder: string): Promise<string> {
  const { outputFiles } = await build(optionsOf(text, folder));
  return outputFiles[0]!.text;
}

/** The same in several files, of which some are loaded later. */
export async function bundleSplit(text: string, folder: string): Promise<Bundled> {
  const { metafile, outputFiles } = await build({ ...optionsOf(text, folder), splitting: true, metafile: true });
  const { outputs } = metafile;
  const paths = Object.keys(outputs);
  const bytesOf = new Map(paths.map((path, at) => [path, gzipSync(outputFiles[at]!.contents, { level: 9 }).length]));
  const initial = new Set(paths.filter((path) => outputs[path]!.entryPoint === "<stdin>"));
  for (const path of initial)
    for (const { kind, path: to, external } of outputs[path]!.imports)
      if (kind === "import-statement" && external !== true) initial.add(to);
  const sum = (some: Iterable<string>): number => [...some].reduce((total, path) => total + bytesOf.get(path)!, 0);
  return {
    initialBytes: sum(initial),
    totalBytes: sum(paths),
    code: outputFiles.map((file) => file.text).join("\n"),
  };
}
