/** The file behind `--keep`: the originals of everything a compaction removed, by recall id. It only ever grows. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PrecisError } from "../../core/errors.ts";
import type { Original } from "../../store/store.ts";
import { usageError } from "../program/exit.ts";
import { isSystemError } from "../../platform/system-errors.ts";
import { writeOutput } from "./write.ts";
import { readText } from "./read.ts";
import type { Terminal } from "../screen/terminal.ts";

const KEEP_SCHEMA_VERSION = 1;
/** Originals may hold secrets: for the owner alone. */
const KEEP_MODE = 0o600;

interface KeepFile {
  readonly schemaVersion: typeof KEEP_SCHEMA_VERSION;
  readonly originals: Readonly<Record<string, Omit<Original, "id">>>;
}

const HINT = "Name the file that `precis compact --keep FILE` wrote.";

/** Throws `unreadable_input` for a file that cannot be read or is not one of these. */
export async function readKeep(file: string, terminal: Terminal): Promise<readonly Original[]> {
  const parsed = parseKeep(await readText(file, terminal, { hint: HINT }));
  if (!isKeepFile(parsed))
    throw new PrecisError(`${file} contains no originals of a compaction`, {
      code: "unreadable_input",
      place: file,
      hint: HINT,
    });
  return Object.entries(parsed.originals).map(([id, original]) => ({ id, ...original }));
}

/** Adds to what the file holds, so that ids of earlier compactions stay resolvable. Throws a usage error over a foreign file. */
export async function addToKeep(file: string, originals: readonly Original[], terminal: Terminal): Promise<void> {
  const path = resolve(terminal.folder, file);
  let earlier: readonly Original[] = [];
  // A pipe or a device holds nothing that could be read back.
  if (isRegular(path)) {
    try {
      earlier = await readKeep(file, terminal);
    } catch (error) {
      if (isSystemError((error as Error).cause)) throw error;
      throw usageError(`${file} exists and contains no originals of a compaction`, "Name another file for --keep.");
    }
  }
  const all = new Map([...earlier, ...originals].map(({ id, ...rest }) => [id, rest]));
  const entries = [...all].map(([id, original]) => `${JSON.stringify(id)}: ${JSON.stringify(original)}`);
  await writeOutput(
    terminal,
    file,
    `{"schemaVersion": ${KEEP_SCHEMA_VERSION}, "originals": {\n${entries.join(",\n")}\n}}\n`,
    {
      mode: KEEP_MODE,
    },
  );
}

function parseKeep(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRegular(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // Writing will say why.
  }
}

function isKeepFile(value: unknown): value is KeepFile {
  const { schemaVersion, originals } = (value ?? {}) as Partial<Record<keyof KeepFile, unknown>>;
  if (schemaVersion !== KEEP_SCHEMA_VERSION || typeof originals !== "object" || originals === null) return false;
  return Object.values(originals).every((original) => typeof (original as Partial<Original>).text === "string");
}
