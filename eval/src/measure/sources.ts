/** From the paths a person names to session files: folders are searched, and what is no session is said to be none. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { PrecisError } from "../../../src/core/errors.ts";
import { FILE_BYTES_MAX, tooLarge } from "../../../src/cli/files/read.ts";
import { reasonOf } from "../../../src/platform/system-errors.ts";

export interface Source {
  readonly path: string;
  /** As shown to a person. */
  readonly name: string;
  readonly bytes: number;
  /** Named by itself, not found in a folder: that it cannot be read is then an error. */
  readonly named: boolean;
}

const SESSION_FILE = /\.jsonl?$/;
const FILES_MAX = 20_000;

/** In the order of their paths. Throws `unreadable_input` for a path that is not there and for too many files. */
export function sourcesOf(paths: readonly string[], folder: string): readonly Source[] {
  const found = new Map<string, Source>();
  for (const { path, named } of paths.flatMap(filesAt)) {
    const shown = relative(folder, path);
    const name = shown.startsWith("..") ? path : shown;
    found.set(path, { path, name, bytes: statSync(path).size, named: named || found.get(path)?.named === true });
    if (found.size > FILES_MAX) throw unreadable(`there are more than ${FILES_MAX} files`, "Name fewer folders.");
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

export function readSource({ path, name, bytes }: Source): string {
  if (bytes > FILE_BYTES_MAX) throw tooLarge(name);
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
