/** The licences of the packages whose code is in the bundle, with their texts, as their authors ask for. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const ROOT = join(import.meta.dirname, "..", "..");
const LICENCE_FILE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** Its files that state the licence, in full. */
  readonly texts: readonly string[];
}

/** Every package with code in the bundle, by name. */
export function bundledPackages({ inputs }: Metafile): readonly BundledPackage[] {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  );
  return [...folders].toSorted().map(readPackage);
}

export function licenceTexts(metafile: Metafile): string {
  const parts = bundledPackages(metafile).map(({ name, version, licence, texts }) =>
    [`${name} ${version} (${licence})`, ...texts].join("\n\n"),
  );
  return ["Code of these packages is in the files of this folder.", ...parts].join(`\n\n${"-".repeat(80)}\n\n`);
}

function readPackage(folder: string): BundledPackage {
  const path = join(ROOT, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const texts = existsSync(path) ? readdirSync(path).filter((file) => LICENCE_FILE.test(file)) : [];
  return {
    name,
    version,
    licence: license ?? "not stated",
    texts: texts.map((file) => readFileSync(join(path, file), "utf8").trim()),
  };
}
