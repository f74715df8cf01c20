/** A named file's bytes, whole or in pieces. A pipe or a device may take its time, and has no size: the wait is said and has an end. */
import { createReadStream, readFileSync, statSync, closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { PrecisError } from "../../core/errors.ts";
import { unreadable } from "./failures.ts";
import type { Terminal } from "../screen/terminal.ts";

/** Larger texts do not fit a JavaScript string. */
export const FILE_BYTES_MAX = 500_000_000;
/** So long a pipe may be silent before that is said. */
const SILENCE_MS = 2_000;

interface ReadFileOptions {
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

/** Smaller files are read whole, which is faster. */
const LARGE_BYTES_MIN = 16_000_000;
const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

interface LargeFile {
  readonly bytes: number;
  readonly sample: string;
  readonly all: () => Iterable<string>;
  /** Whether a line that was read held bytes that are not UTF-8. */
  readonly isDamaged: () => boolean;
}

export function isLarge(bytes: number): boolean {
  return bytes >= LARGE_BYTES_MIN;
}

/** Undefined for what is small, no regular file, or not lines of JSON objects in UTF-8. */
export function largeFile(path: string): LargeFile | undefined {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isFile() !== true || !isLarge(there.size)) return undefined;
  let damaged = false;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decoded = (line: Uint8Array): string => {
    try {
      return decoder.decode(line);
    } catch {
      damaged = true;
      return new TextDecoder().decode(line);
    }
  };
  const sample = readSample(path);
  if (sample === undefined) return undefined;
  return { bytes: there.size, sample, all: () => readLines(path, decoded), isDamaged: () => damaged };
}

/** The whole lines of the first piece, where the first is an object: a document in one piece has none there. */
function readSample(path: string): string | undefined {
  const first = readPieces(path).next().value ?? Buffer.alloc(0);
  const text = new TextDecoder().decode(first.subarray(0, first.lastIndexOf(NEWLINE) + 1));
  const line = text.slice(0, Math.max(0, text.indexOf("\n"))).trim();
  try {
    return line.startsWith("{") && typeof JSON.parse(line) === "object" ? text : undefined;
  } catch {
    return undefined;
  }
}

function* readLines(path: string, decoded: (line: Uint8Array) => string): Generator<string> {
  let begun: Buffer[] = [];
  for (const piece of readPieces(path)) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const rest = piece.subarray(start, end);
      yield decoded(begun.length === 0 ? rest : Buffer.concat([...begun, rest]));
      begun = [];
      start = end + 1;
    }
    if (start < piece.length) begun.push(Buffer.from(piece.subarray(start)));
  }
  yield decoded(Buffer.concat(begun));
}

/** One buffer, filled again and again. */
function* readPieces(path: string): Generator<Buffer, undefined> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  const file = openSync(path, "r");
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) yield buffer.subarray(0, read);
  } finally {
    closeSync(file);
  }
}
