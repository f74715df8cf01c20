/** The lines of an answer, each code block in one piece: nothing in a block is a heading or an item. */

/** A line, or a code block with its fences. */
export type Piece = readonly string[];

const MARK = /^\s*(?:(?:[-*•+]|\d{1,4}[.)])\s+)?(`{3,}(?=[^`]*$)|~{3,})/;
const BARE = /^\s*(?:`{3,}|~{3,})\s*$/;

/** A block that is never closed ends before the next heading that was asked for. */
export function piecesOf(given: readonly string[], isHeading: (line: string) => boolean): readonly Piece[] {
  const lines = unwrapped(given, isHeading);
  const pieces: Piece[] = [];
  const unclosed = new Set<string>();
  for (let at = 0; at < lines.length;) {
    const fence = MARK.exec(lines[at]!)?.[1];
    if (fence === undefined) {
      pieces.push([lines[at++]!]);
      continue;
    }
    const close = unclosed.has(fence) ? -1 : indexAfter(lines, at, (line) => closes(line, fence));
    if (close < 0) unclosed.add(fence);
    const next = close < 0 ? indexAfter(lines, at, isHeading) : close + 1;
    const block = lines.slice(at, next < 0 ? lines.length : next);
    at += block.length;
    // A mark that stands alone holds nothing.
    if (close >= 0) pieces.push(block);
    else if (block.some((line) => line.trim() !== "" && !BARE.test(line))) pieces.push([...trimmedEnd(block), fence]);
  }
  return pieces;
}

function indexAfter(lines: readonly string[], from: number, wanted: (line: string) => boolean): number {
  for (let at = from + 1; at < lines.length; at++) if (wanted(lines[at]!)) return at;
  return -1;
}

function closes(line: string, fence: string): boolean {
  return BARE.test(line) && line.trim().startsWith(fence);
}

function trimmedEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line.trim() !== "") + 1);
}

/** Some models put the whole answer in a block: one that opens with a heading that was asked for. */
function unwrapped(lines: readonly string[], isHeading: (line: string) => boolean): readonly string[] {
  const open = lines.findIndex((line) => MARK.test(line));
  const first = open < 0 ? undefined : lines.slice(open + 1).find((line) => line.trim() !== "");
  if (first === undefined || !isHeading(first) || lines.slice(0, open).some(isHeading)) return lines;
  const marks = lines.flatMap((line, at) => (at > open && MARK.test(line) ? [at] : []));
  // Blocks inside have two marks each: where one is left over, it closes the whole.
  const close = marks.length % 2 === 0 ? -1 : marks.findLast((at) => BARE.test(lines[at]!));
  return lines.filter((_, at) => at !== open && at !== close);
}
