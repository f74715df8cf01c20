/** Bars and aligned columns out of characters. */
import { visibleLine } from "./visible.ts";

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for a share from 0 to 1, exact to an eighth of a column; anything above nothing is visible. */
export function bar(share: number, columns: number): string {
  const eighths = Math.round(Math.min(Math.max(share, 0), 1) * columns * 8);
  const shown = share > 0 ? Math.max(eighths, 1) : 0;
  return "█".repeat(Math.floor(shown / 8)) + EIGHTHS[shown % 8]!;
}

/** The same with blanks up to its full width. */
export function track(share: number, columns: number): string {
  return padEnd(bar(share, columns), columns);
}

/** Columns a text takes on a terminal: wide letters take two, marks that combine take none. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const letter of text) {
    if (WIDE.test(letter)) columns += 2;
    else if (!UNSEEN.test(letter)) columns++;
  }
  return columns;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const UNSEEN = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** One line of at most `columns`, with what would break a terminal taken out; a cut ends in `…`. */
export function clip(text: string, columns: number): string {
  const head = text.slice(0, columns * 4);
  const line = visibleLine(head.replaceAll(/[\s\p{Cc}]+/gu, " ").trim());
  if (widthOf(line) <= columns && head.length === text.length) return line;
  let kept = "";
  let width = 0;
  for (const letter of line) {
    width += widthOf(letter);
    if (width > columns - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - widthOf(text))) + text;
}

/** Widths of the columns of rows. */
export function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
  return widths;
}
