/** A named file's bytes. A pipe or a device may take its time, and has no size: somebody hears of the wait, and it has an end. */
import { createReadStream, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { PrecisError } from "../core/errors.ts";
import { unreadable } from "./file-failures.ts";
import type { Terminal } from "./terminal.ts";

/** Larger texts do not fit a JavaScript string. */
export const FILE_BYTES_MAX = 500_000_000;
/** So long a pipe may be silent before that is said. */
const SILENCE_MS = 2_000;

export interface ReadFileOptions {
  /** What to name instead. */
  readonly hint?: string;
}

/** Throws `unreadable_input`. */
export async function readBytes(
  name: string,
  { folder, err }: Pick<Terminal, "folder" | "err">,
  { hint }: ReadFileOptions = {},
): Promise<Uint8Array> {
  try {
    const path = resolve(folder, name);
    const there = statSync(path);
    if (there.isDirectory() || (there.isFile() && there.size <= FILE_BYTES_MAX)) return readFileSync(path);
    if (there.isFile()) throw tooLarge(name);
    return await streamed(path, name, () => err.say(`waiting for ${name}: nothing has been written to it yet\n`));
  } catch (error) {
    throw error instanceof PrecisError ? error : unreadable(name, error, hint);
  }
}

/** Throws `unreadable_input`. */
export async function readText(name: string, terminal: Terminal, options?: ReadFileOptions): Promise<string> {
  return new TextDecoder().decode(await readBytes(name, terminal, options));
}

async function streamed(path: string, name: string, onSilence: () => Promise<void>): Promise<Uint8Array> {
  const waiting = setTimeout(() => void onSilence(), SILENCE_MS);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      clearTimeout(waiting);
      chunks.push(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).length;
      if (bytes > FILE_BYTES_MAX) throw tooLarge(name);
    }
  } finally {
    clearTimeout(waiting);
  }
  return Buffer.concat(chunks);
}

export function tooLarge(name: string): PrecisError {
  return new PrecisError(`cannot read ${name}: it is larger than ${FILE_BYTES_MAX} bytes`, {
    code: "unreadable_input",
    place: name,
    hint: "Split it.",
  });
}
