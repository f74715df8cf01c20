/** A large file of JSON lines, read in pieces, so that no more of it is in memory than a piece and a line. */
import { closeSync, openSync, readSync, statSync } from "node:fs";

/** Smaller files are read whole, which is faster. */
const LARGE_BYTES_MIN = 16_000_000;
const PIECE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface LargeFile {
  readonly bytes: number;
  /** Its first lines. */
  readonly sample: string;
  readonly all: () => Iterable<string>;
  /** Whether a line that was read held bytes that are not UTF-8. */
  readonly isDamaged: () => boolean;
}

/** Whether work on an input of this size should mind the memory. */
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
  const sample = sampleOf(path);
  if (sample === undefined) return undefined;
  return { bytes: there.size, sample, all: () => linesOf(path, decoded), isDamaged: () => damaged };
}

/** The whole lines of the first piece, where the first is an object: a document in one piece has none there. */
function sampleOf(path: string): string | undefined {
  const first = piecesOf(path).next().value ?? Buffer.alloc(0);
  const text = new TextDecoder().decode(first.subarray(0, first.lastIndexOf(NEWLINE) + 1));
  const line = text.slice(0, Math.max(0, text.indexOf("\n"))).trim();
  try {
    return line.startsWith("{") && typeof JSON.parse(line) === "object" ? text : undefined;
  } catch {
    return undefined;
  }
}

function* linesOf(path: string, decoded: (line: Uint8Array) => string): Generator<string> {
  let begun: Buffer[] = [];
  for (const piece of piecesOf(path)) {
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
function* piecesOf(path: string): Generator<Buffer, undefined> {
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  const file = openSync(path, "r");
  try {
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) yield buffer.subarray(0, read);
  } finally {
    closeSync(file);
  }
}
