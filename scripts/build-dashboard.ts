/**
 * Bundles the browser's part of the dashboard (`dashboard/`) into `dist/`, where the gateway finds it: one script, one style
 * sheet, one page. Names contain a hash of their content, so that browsers keep them; licences of what is bundled go beside it.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { build } from "esbuild";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCE = join(ROOT, "dashboard");

export async function buildDashboard(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: { main: join(SOURCE, "main.tsx"), icon: join(SOURCE, "icon.svg") },
    outdir: folder,
    entryNames: "[name]-[hash]",
    loader: { ".svg": "copy" },
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    absWorkingDir: ROOT,
    logLevel: "warning",
  });
  const names = Object.keys(metafile.outputs).map((path) => basename(path));
  const named = (ending: string): string => names.find((name) => name.endsWith(ending)) ?? "";
  const page = readFileSync(join(SOURCE, "index.html"), "utf8")
    .replace("ICON", named(".svg"))
    .replace("STYLE", named(".css"))
    .replace("SCRIPT", named(".js"));
  writeFileSync(join(folder, "index.html"), page);
  writeFileSync(join(folder, "licences.txt"), licencesOf(Object.keys(metafile.inputs)));
}

/** What the packages in a bundle ask to be passed on with them. */
function licencesOf(inputs: readonly string[]): string {
  const packages = new Set(
    inputs.flatMap((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  return [...packages]
    .map((name) => `${name}\n\n${readFileSync(join(ROOT, "node_modules", name, "LICENSE"), "utf8").trim()}\n`)
    .join("\n----\n\n");
}
