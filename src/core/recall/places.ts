/** Where words are in a text: its lines, those that hold them, and what is around one. */

/** Lines around one that holds the words. */
const CONTEXT_LINES = 2;
const WORDS_MAX = 8;

/** A longer line is in pieces, each a line of its own. */
export function linesIn(text: string, charsMax: number): readonly string[] {
  return text.split("\n").flatMap((line) => piecesOf(line, charsMax));
}

function piecesOf(line: string, charsMax: number): string | readonly string[] {
  if (line.length <= charsMax) return line;
  const count = Math.ceil(line.length / charsMax);
  return Array.from({ length: count }, (_, at) => line.slice(at * charsMax, (at + 1) * charsMax));
}

export function wordsIn(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/, WORDS_MAX)
    .filter((word) => word !== "");
}

export function around(lines: readonly string[], at: number): string {
  return lines.slice(Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1).join("\n");
}
