/** The file behind `--keep`: the originals of everything a compaction removed, by recall id. It only ever grows. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { PrecisError } from "../core/errors.ts";
import type { Original } from "../store/store.ts";
import { usageError } from "./exit.ts";
import { writeOutput } from "./files.ts";
import type { Terminal } from "./terminal.ts";

const KEEP_SCHEMA_VERSION = 1;
/** Originals may hold secrets: for the owner alone. */
const KEEP_MODE = 0o600;

interface KeepFile {
  readonly schemaVersion: typeof KEEP_SCHEMA_VERSION;
  readonly originals: Readonly<Record<string, Omit<Original, "id">>>;
}

/** Throws `unreadable_input` for a file that is missing or not one of these. */
export function readKeep(path: string): readonly Original[] {
  const hint = "Name the file that `precis compact --keep FILE` wrote.";
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new PrecisError(`cannot read ${path}: ${(cause as Error).message}`, {
      code: "unreadable_input",
      place: path,
      hint,
      cause,
    });
  }
  if (!isKeepFile(parsed))
    throw new PrecisError(`${path} holds no originals of a compaction`, {
      code: "unreadable_input",
      place: path,
      hint,
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
      earlier = readKeep(path);
    } catch {
      throw usageError(`${file} exists and holds no originals of a compaction`, "Name another file for --keep.");
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
