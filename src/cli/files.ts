/** Files that commands write: whole or not at all, and never over something that would be missed. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PrecisError } from "../core/errors.ts";

export interface WriteOptions {
  /** Permissions; a file with originals is for its owner alone. */
  readonly mode?: number;
}

/** Writes beside the file first and then moves, so that a crash leaves the old one. Throws `unwritable_output`. */
export function writeWhole(path: string, text: string, { mode = 0o666 }: WriteOptions = {}): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, text, { mode, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new PrecisError(`cannot write ${path}: ${(error as Error).message}`, {
      code: "unwritable_output",
      place: path,
      hint: "Check the folder and its permissions, or name another file.",
      cause: error,
    });
  }
}
