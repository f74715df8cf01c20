/** Where the history is: as a flag says, else as the configuration does, else in the person's data folder. */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { historyFile } from "../config/locate.ts";
import type { Configuration } from "../config/schema.ts";
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

/** The size of a file; 0 for none. */
export function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
