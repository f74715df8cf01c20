/** Figures under their heads; on a terminal too narrow for that, each row as a name with its figures below it. */
import { wrapped, columnWidths, padEnd, padStart, measureWidth } from "./text.ts";
import type { TextStyle, Stream } from "./terminal.ts";

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly Row[];
  /** That many columns on the left are names; the others are figures, aligned on the right. */
  readonly names: number;
  readonly indent?: number;
}

export interface Row {
  readonly cells: readonly string[];
  readonly look?: TextStyle;
}

const GAP = "  ";
/** Between columns: closer together before the table gives up its form. */
const GAPS = [GAP, " "];

export function tableLines({ head, rows, names, indent = 0 }: Table, { paint, columns }: Stream): readonly string[] {
  const widths = columnWidths([head, ...rows.map(({ cells }) => cells)]);
  const margin = " ".repeat(indent);
  const painted = (line: string, look: TextStyle | undefined): string =>
    look === undefined ? line : paint(look, line);
  const room = columns - indent - widths.reduce((sum, width) => sum + width, 0);
  const gap = GAPS.find(({ length }) => length * (widths.length - 1) <= room);
  if (gap === undefined) return rows.flatMap((row) => stacked(row).map((line) => painted(line, row.look)));
  const line = (cells: readonly string[]): string =>
    `${margin}${cells.map((cell, at) => (at < names ? padEnd : padStart)(cell, widths[at]!)).join(gap)}`.trimEnd();
  return [paint("dim", line(head)), ...rows.map(({ cells, look }) => painted(line(cells), look))];

  function stacked({ cells }: Row): readonly string[] {
    const title = cells
      .slice(0, names)
      .filter((cell) => cell !== "")
      .join(", ");
    const figures = cells.slice(names).flatMap((cell, at) => (cell === "" ? [] : [`${head[names + at]!} ${cell}`]));
    return [`${margin}${title}`, ...packed(figures, columns - indent - 2).map((one) => `${margin}  ${one}`)];
  }
}

/** As many as fit on a line, none broken. */
function packed(items: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last === undefined || measureWidth(last) + GAP.length + measureWidth(item) > columns) lines.push(item);
    else lines[lines.length - 1] = `${last}${GAP}${item}`;
  }
  return lines;
}

export interface RowNote {
  /** May be painted; its columns are therefore given. */
  readonly line: string;
  readonly width: number;
  readonly says: string;
  readonly look?: TextStyle;
}

const REMARK_INDENT = 4;

/** A line with what is said of it beside it, or below it where both do not fit. */
export function withRowNote({ line, width, says, look }: RowNote, { paint, columns }: Stream): readonly string[] {
  const painted = (text: string): string => (look === undefined ? text : paint(look, text));
  if (says === "") return [line];
  if (width + GAP.length + measureWidth(says) <= columns) return [`${line}${GAP}${painted(says)}`];
  const below = wrapped(says, columns - REMARK_INDENT);
  return [line, ...below.map((text) => `${" ".repeat(REMARK_INDENT)}${painted(text)}`)];
}

export function namedLines(
  name: string,
  says: string,
  { left, look = "dim" }: { readonly left: number; readonly look?: TextStyle },
  { paint, columns }: Stream,
): readonly string[] {
  return wrapped(says, columns - left - 2).map(
    (line, at) => `  ${paint(look, padEnd(at === 0 ? name : "", left))}${line}`,
  );
}
