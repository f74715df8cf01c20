/** From the paths a person names to session files: folders are searched, and what is no session is said to be none. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { PrecisError } from "../../core/errors.ts";
import { reasonOf } from "../../platform/system-errors.ts";

export interface Source {
  readonly path: string;
  /** As shown to a person. */
  readonly name: string;
  /** The repository that an index names; sessions of one are never fitted on one another. */
  readonly repository?: string;
  readonly bytes: number;
  /** Named by itself, not found in a folder: that it cannot be read is then an error. */
  readonly named: boolean;
}

const SESSION_FILE = /\.jsonl?$/;
const FILES_MAX = 20_000;
/** Larger texts do not fit a JavaScript string. */
const FILE_BYTES_MAX = 500_000_000;

/** In the order of their paths. Throws `unreadable_input` for a path that is not there and for too many files. */
export function sourcesOf(paths: readonly string[], folder: string): readonly Source[] {
  const indexes = new Map<string, ReadonlyMap<string, string>>();
  const found = new Map<string, Source>();
  for (const { path, named } of paths.flatMap(filesAt)) {
    const repository = repositoryOf(path, indexes);
    const shown = relative(folder, path);
    const name = shown.startsWith("..") ? path : shown;
    const source = { path, name, bytes: statSync(path).size, named: named || found.get(path)?.named === true };
    found.set(path, repository === undefined ? source : { ...source, repository });
    if (found.size > FILES_MAX) throw unreadable(`there are more than ${FILES_MAX} files`, "Name fewer folders.");
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export function readSource({ path, name, bytes }: Source): string {
  if (bytes > FILE_BYTES_MAX) throw unreadable(`${name} is larger than ${FILE_BYTES_MAX} bytes`, "Split it.");
  return reading(path, () => textOf(readFileSync(path)));
}

/** UTF-8, or UTF-16 as Windows shells redirect it, without a mark of either. */
function textOf(bytes: Uint8Array): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? "utf-16le" : "utf-8").decode(bytes);
}

function filesAt(path: string): readonly { readonly path: string; readonly named: boolean }[] {
  if (!reading(path, () => statSync(path)).isDirectory()) return [{ path, named: true }];
  return reading(path, () => readdirSync(path, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && SESSION_FILE.test(entry.name))
    .map((entry) => ({ path: join(entry.parentPath, entry.name), named: false }));
}

/** An `INDEX.tsv` in the file's folder or the one above: the first two columns are a path and its repository. */
function repositoryOf(path: string, indexes: Map<string, ReadonlyMap<string, string>>): string | undefined {
  const own = dirname(path);
  for (const folder of [own, dirname(own)]) {
    let index = indexes.get(folder);
    if (index === undefined) indexes.set(folder, (index = readIndex(join(folder, "INDEX.tsv"))));
    const repository = index.get(relative(folder, path));
    if (repository !== undefined) return repository;
  }
  return undefined;
}

function readIndex(path: string): ReadonlyMap<string, string> {
  if (!existsSync(path)) return new Map();
  const rows = readFileSync(path, "utf8").trim().split("\n").slice(1);
  return new Map(
    rows.map((row) => row.split("\t") as [string, string]).map(([file, repository]) => [file, repository]),
  );
}

function reading<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw unreadable(
      `cannot read ${path}: ${reasonOf(error)}`,
      "Name session files that can be read, or folders of them.",
    );
  }
}

function unreadable(message: string, hint: string): PrecisError {
  return new PrecisError(message, { code: "unreadable_input", hint });
}
