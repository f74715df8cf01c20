/** Types of the package: only what an entry's types lead to is published. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";

const TYPES = ".d.ts";
const SPECIFIER = /(?:\bfrom|\bimport\(|\bimport)\s*"(\.[^"]+)"/g;

/** The files of types that these lead to, themselves included, below a folder. */
function reachableTypes(folder: string, entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  for (const path of reached) {
    for (const [, specifier] of readFileSync(join(folder, path), "utf8").matchAll(SPECIFIER)) {
      const target = join(dirname(path), specifier!.replace(/\.[jt]s$/, TYPES));
      if (existsSync(join(folder, target))) reached.add(target);
    }
  }
  return reached;
}

/** Removes everything below the folder that is no type which an entry leads to. */
export function removeUnreachableTypes(folder: string, entries: readonly string[]): void {
  const kept = reachableTypes(folder, entries);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !kept.has(path.slice(folder.length + 1))) rmSync(path);
  }
  removeEmptyFolders(folder);
}

function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}
