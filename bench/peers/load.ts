/**
 * Peers by name. They live in this folder's own node_modules and may be absent: a peer that cannot be loaded is told
 * with its reason and gets no figures. Each caller states the few functions that it uses of a peer, and nothing more.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = import.meta.dirname;

export interface Absent {
  readonly name: string;
  readonly because: string;
}

/** The module as the caller describes it. The name is no literal, so that types are not looked for where it is not installed. */
export async function load<Module>(name: string): Promise<Module> {
  return (await import(import.meta.resolve(name, pathToFileURL(join(FOLDER, "package.json")).href))) as Module;
}

/** `name version`, as installed. */
export function installed(name: string): string {
  const path = join(FOLDER, "node_modules", name, "package.json");
  if (!existsSync(path)) throw new Error(`${name} is not installed in bench/peers`);
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { readonly version: string };
  return `${name} ${version}`;
}

/** What `make` makes, or why it cannot be had. */
export async function orAbsent<Made>(name: string, make: () => Promise<Made>): Promise<Made | Absent> {
  try {
    return await make();
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    // Where on this machine it was looked for is nobody's reason.
    return { name, because: told.split("\n")[0]!.replace(/,? (?:imported|required) from .*/, "") };
  }
}

export function isAbsent(value: unknown): value is Absent {
  return typeof value === "object" && value !== null && "because" in value;
}
