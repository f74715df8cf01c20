/** Where the history is: as a flag says, else as the configuration does, else in the person's data folder. */
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { shortPath } from "../config/load.ts";
import { historyFile } from "../config/locate.ts";
import type { Configuration } from "../config/schema.ts";
import { PrecisError } from "../core/errors.ts";
import { reasonOf } from "../platform/system-errors.ts";
import { usageError } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

/** Keeps nothing beyond the process. */
export const IN_MEMORY = "memory";

/** The path, or `undefined` for a history in memory. */
export function storeFile(
  given: string | undefined,
  { gateway }: Configuration,
  { folder, environment, platform }: Terminal,
): string | undefined {
  const named = given ?? gateway.store ?? historyFile(environment, platform);
  if (named === IN_MEMORY) return undefined;
  const home = environment["HOME"] ?? homedir();
  return resolve(folder, named.startsWith("~/") ? `${home}${named.slice(1)}` : named);
}

/** The file that is meant, which has to be there: a mistyped path must not make a new one. */
export function existingStoreFile(given: string | undefined, configuration: Configuration, terminal: Terminal): string {
  const path = storeFile(given, configuration, terminal);
  if (path === undefined)
    throw usageError("the store is `memory`, which ends with its gateway", "Name a file with --store FILE.");
  if (!isStore(path, terminal))
    throw usageError(
      `there is no store at ${shortPath(path, terminal)}`,
      "`precis serve` creates one. Name another with --store FILE, or with gateway.store in the configuration.",
    );
  return path;
}

/** Throws `store_unreachable` where the file system does not let one look. */
function isStore(path: string, terminal: Terminal): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (cause) {
    const shown = shortPath(path, terminal);
    throw new PrecisError(`cannot read the store ${shown}: ${reasonOf(cause)}`, {
      code: "store_unreachable",
      place: shown,
      hint: "Check the path and the permissions of the folders above it, or name another file with --store FILE.",
      cause,
    });
  }
}

/** The size of a file; 0 for none. */
export function fileBytes(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0; // Opening it will say why.
  }
}

/** What was copied before it was brought up to date. */
export function copiesOf(path: string): readonly string[] {
  const folder = dirname(path);
  const name = `${basename(path)}.schema-`;
  return readdirSync(folder)
    .filter((one) => one.startsWith(name) && one.endsWith(".bak"))
    .map((one) => join(folder, one));
}
