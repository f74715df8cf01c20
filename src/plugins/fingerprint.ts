/** A plugin's folder as one hash: every file of it, by name and content. What its code imports from elsewhere is not in it. */
import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { PrecisError } from "../core/errors.ts";

const FILES_MAX = 5_000;
const BYTES_MAX = 64 * 1024 * 1024;

/** @throws PrecisError `bad_plugin` for a folder too large to be looked through. */
export function fingerprintOf(folder: string): string {
  const lines: string[] = [];
  const open = [""];
  let bytes = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const path = join(folder, at);
    const stats = lstatSync(path);
    if (stats.isDirectory()) open.push(...readdirSync(path).map((name) => `${at}/${name}`));
    else if (stats.isSymbolicLink()) lines.push(JSON.stringify([at, "link", readlinkSync(path)]));
    else if (stats.isFile()) {
      bytes += stats.size;
      if (bytes > BYTES_MAX) throw tooLarge(folder);
      lines.push(JSON.stringify([at, "file", hash("sha256", readFileSync(path))]));
    }
    if (lines.length + open.length > FILES_MAX) throw tooLarge(folder);
  }
  return hash("sha256", lines.toSorted().join("\n"));
}

function tooLarge(folder: string): PrecisError {
  return new PrecisError(`the plugin's folder has more than ${FILES_MAX} files or ${BYTES_MAX} bytes`, {
    code: "bad_plugin",
    place: folder,
    hint: "Put it beside your own configuration, where it needs no agreement.",
  });
}
