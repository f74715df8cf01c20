/** Where the history is kept: as a flag says, else as the configuration does, else in a file of the person's data folder. */
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { shortPath } from "../config/load.ts";
import { historyFile } from "../config/locate.ts";
import { STORE_PASSWORD } from "../config/schema-gateway.ts";
import type { Configuration } from "../config/schema.ts";
import { PrecisError } from "../core/errors.ts";
import { reasonOf } from "../platform/system-errors.ts";
import { storeAddress } from "../store/open.ts";
import { usageError } from "./exit.ts";
import type { Terminal } from "./terminal.ts";

export interface StorePlace {
  /** What `openStore` takes. */
  readonly address: string;
  /** As a person would write it. */
  readonly shown: string;
  /** Where it is a file. */
  readonly path?: string;
}

export function storePlace(given: string | undefined, { gateway }: Configuration, terminal: Terminal): StorePlace {
  const { folder, environment, platform } = terminal;
  const named = given ?? gateway.store ?? historyFile(environment, platform);
  const { kind, place } = storeAddress(named);
  if (STORE_PASSWORD.test(named)) throw usageError("the store's address holds a password", PASSWORD_ELSEWHERE);
  if (kind !== "sqlite") return { address: named, shown: named };
  const home = environment["HOME"] ?? homedir();
  const path = resolve(folder, place.startsWith("~/") ? `${home}${place.slice(1)}` : place);
  return { address: `sqlite:${path}`, shown: shortPath(path, terminal), path };
}

/** The store that is meant, which has to be there: a mistyped path must not make a new one. Throws `store_unreachable` where it is not. */
export function existingStore(given: string | undefined, configuration: Configuration, terminal: Terminal): StorePlace {
  const found = storePlace(given, configuration, terminal);
  if (found.address === IN_MEMORY)
    throw usageError("the store is `memory`, which ends with its gateway", "Name a file with --store FILE.");
  if (found.path !== undefined && !isStore(found.path, found.shown))
    throw new PrecisError(`there is no store at ${found.shown}`, {
      code: "store_unreachable",
      place: found.shown,
      hint: "`precis serve` creates one. Name another with --store FILE, or with gateway.store in the configuration.",
    });
  return found;
}

const PASSWORD_ELSEWHERE = "Put the password into the variable PGPASSWORD or the file ~/.pgpass instead.";

/** Keeps nothing beyond the process. */
const IN_MEMORY = "memory";

/** Throws `store_unreachable` where the file system does not let one look. */
function isStore(path: string, shown: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (cause) {
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
