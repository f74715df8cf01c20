/** Figures under their heads; on a terminal too narrow for that, each row as a name with its figures below it. */
import { columnWidths, measureWidth, padEnd, padStart } from "../../../src/cli/screen/text.ts";
import type { Stream, TextStyle } from "../../../src/cli/screen/terminal.ts";

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly Row[];
  /** That many columns on the left are names; the others are figures, aligned on the right. */
  readonly names: number;
  readonly indent?: number;
}

interface Row {
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
