/**
 * A plugin's folder as one hash: every file of it, by name and content. Whatever could change without the hash is refused:
 * links out of the folder, and what is neither a file nor a folder. What its code imports from elsewhere by itself is not in it.
 */
import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { PrecisError } from "../core/errors.ts";

const FILES_MAX = 5_000;
const BYTES_MAX = 64 * 1024 * 1024;

/** @throws PrecisError `bad_plugin` for a folder that is too large to be looked through, or that cannot be held to a hash. */
export function fingerprintOf(folder: string): string {
  const root = realpathSync(folder);
  const lines: string[] = [];
  const open = [""];
  let bytes = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const path = join(root, at);
    const stats = lstatSync(path);
    if (stats.isDirectory()) for (const each of readdirSync(path).map((name) => `${at}/${name}`)) open.push(each);
    else if (stats.isSymbolicLink()) {
      if (!leadsInto(root, path)) throw refused(folder, `its link ${at.slice(1)} leads out of its folder`);
      lines.push(JSON.stringify([at, "link", readlinkSync(path)]));
    } else if (!stats.isFile()) throw refused(folder, `${at.slice(1)} is neither a file nor a folder`);
    else {
      bytes += stats.size;
      if (bytes > BYTES_MAX) throw refused(folder, TOO_LARGE);
      lines.push(JSON.stringify([at, "file", hash("sha256", readFileSync(path))]));
    }
    if (lines.length + open.length > FILES_MAX) throw refused(folder, TOO_LARGE);
  }
  return hash("sha256", lines.toSorted().join("\n"));
}

/** A link that leads nowhere may lead anywhere tomorrow. */
function leadsInto(root: string, link: string): boolean {
  try {
    return realpathSync(link).startsWith(`${root}${sep}`);
  } catch {
    return false;
  }
}

const TOO_LARGE = `it has more than ${FILES_MAX} files or ${BYTES_MAX} bytes`;

function refused(folder: string, because: string): PrecisError {
  return new PrecisError(`the plugin's folder cannot be trusted: ${because}`, {
    code: "bad_plugin",
    place: folder,
    hint: "Fix the folder, or put it next to your own configuration, where it needs no consent.",
  });
}
