/** Where agents keep their session files, and which of them were used lately. */
import { readdirSync, statSync, type Dirent } from "node:fs";
import { join, resolve } from "node:path";
import { placeOf } from "../../logs/places.ts";
import { usageError } from "../program/exit.ts";
import type { Terminal } from "../screen/terminal.ts";

const SESSION_FILE = /\.jsonl?(?:\.zstd)?$/;
/** More are not looked at, so that a folder named by mistake ends. */
const ENTRIES_MAX = 200_000;

export interface SessionFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedAtMs: number;
}

export interface SessionFiles {
  readonly files: readonly SessionFile[];
  readonly folders: readonly string[];
  readonly older: number;
}

function agentFolders({ environment, folder }: Pick<Terminal, "environment" | "folder">): readonly string[] {
  return (["claude-code", "codex", "pi", "gemini", "dsh"] as const)
    .flatMap((agent) => placeOf(agent, environment, folder).roots)
    .filter((root) => statSync(root, { throwIfNoEntry: false })?.isDirectory() === true);
}

/** Files that were named are taken whatever their age. Throws a usage error for a path that is not there. */
export function sessionFiles(
  named: readonly string[],
  sinceMs: number,
  terminal: Pick<Terminal, "environment" | "folder">,
): SessionFiles {
  const folders = named.length === 0 ? agentFolders(terminal) : named.map((one) => resolve(terminal.folder, one));
  const found = new Map<string, SessionFile>();
  let older = 0;
  for (const folder of folders) {
    const there = statSync(folder, { throwIfNoEntry: false });
    if (there === undefined) throw usageError(`${folder} is not there`, "Name session files, or folders of them.");
    const isFile = !there.isDirectory();
    for (const path of isFile ? [folder] : filesBelow(folder)) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) continue;
      if (!isFile && stats.mtimeMs < sinceMs) older++;
      else found.set(path, { path, bytes: stats.size, changedAtMs: stats.mtimeMs });
    }
  }
  return { files: [...found.values()].toSorted((a, b) => b.changedAtMs - a.changedAtMs), folders, older };
}

/** A folder that may not be read is passed over. */
function filesBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const waiting = [folder];
  for (let entries = 0; waiting.length > 0 && entries < ENTRIES_MAX;) {
    const next = waiting.pop()!;
    for (const entry of listEntries(next)) {
      entries++;
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
      else if (entry.isFile() && SESSION_FILE.test(entry.name)) found.push(join(next, entry.name));
    }
  }
  return found;
}

function listEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
