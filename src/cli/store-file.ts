/** Where the history is: as a flag says, else as the configuration does, else in the person's data folder. */
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { shortPath } from "../config/load.ts";
import { historyFile } from "../config/locate.ts";
import type { Configuration } from "../config/schema.ts";
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
    throw usageError("the store is `memory`: it ends with its gateway", "Name a file with --store FILE.");
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw usageError(
      `there is no store at ${shortPath(path, terminal)}`,
      "`precis serve` makes one. Name another with --store FILE, or with gateway.store in the configuration.",
    );
  return path;
}

/** The size of a file; 0 for none. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** What was copied before it was brought up to date. */
export function copiesOf(path: string): readonly string[] {
  const folder = dirname(path);
  const name = `${basename(path)}.schema-`;
  return readdirSync(folder)
    .filter((one) => one.startsWith(name) && one.endsWith(".bak"))
    .map((one) => join(folder, one));
}
