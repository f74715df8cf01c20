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

/** Lines that hold every word; where none does, those that hold most. */
export function placesIn(lines: readonly string[], words: readonly string[]): readonly number[] {
  const counts = lines.map((line) => {
    const lower = line.toLowerCase();
    return words.filter((word) => lower.includes(word)).length;
  });
  const most = counts.reduce((one, other) => Math.max(one, other), 0);
  if (most === 0 || most * 2 < words.length) return [];
  return counts.flatMap((count, at) => (count === most ? at : []));
}

/** A line with its neighbours, numbered so that it can be read on from. */
export function around(lines: readonly string[], at: number): string {
  const from = Math.max(0, at - CONTEXT_LINES);
  return lines
    .slice(from, at + CONTEXT_LINES + 1)
    .map((line, index) => `${from + index + 1}: ${line}`)
    .join("\n");
}
