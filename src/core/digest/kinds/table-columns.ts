/** Tables in plain text: comma, tab, semicolon or pipe between cells, or columns aligned by spaces. */

export type TableStyle = "comma" | "tab" | "semicolon" | "pipe" | "aligned";

const SEPARATORS: readonly (readonly [style: TableStyle, separator: string, cellsMin: number])[] = [
  ["tab", "\t", 2],
  ["pipe", "|", 2],
  ["comma", ",", 3],
  ["semicolon", ";", 3],
];
const ROWS_MIN = 3;
/** Share of lines that must have the same number of cells. */
const AGREEMENT = 0.8;
const RULE = /^[\s|+:=-]+$/;

export function tableStyle(lines: readonly string[]): TableStyle | undefined {
  const rows = lines.filter((line) => !RULE.test(line));
  if (rows.length < ROWS_MIN) return undefined;
  for (const [style, , cellsMin] of SEPARATORS) if (agrees(rows, style, cellsMin)) return style;
  return agrees(rows, "aligned", 3) ? "aligned" : undefined;
}

export function looksLikeTable(lines: readonly string[]): boolean {
  return tableStyle(lines) !== undefined;
}

function agrees(rows: readonly string[], style: TableStyle, cellsMin: number): boolean {
  const widths = new Map<number, number>();
  for (const row of rows) {
    const width = cellsOf(row, style).length;
    widths.set(width, (widths.get(width) ?? 0) + 1);
  }
  const [width, count] = [...widths].reduce((best, one) => (one[1] > best[1] ? one : best));
  return width >= cellsMin && count >= rows.length * AGREEMENT;
}

export function cellsOf(row: string, style: TableStyle): readonly string[] {
  switch (style) {
    case "aligned":
      return row.trim().split(/ {2,}/);
    case "pipe":
      return row
        .trim()
        .replace(/^\|/, "")
        .replace(/\|$/, "")
        .split("|")
        .map((cell) => cell.trim());
    case "tab":
      return row.split("\t");
    case "comma":
      return separated(row, ",");
    case "semicolon":
      return separated(row, ";");
  }
}

/** A separator inside quotes separates nothing. */
function separated(row: string, separator: string): readonly string[] {
  if (!row.includes('"')) return row.split(separator);
  const cells: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '"') quoted = !quoted;
    else if (row[at] === separator && !quoted) {
      cells.push(row.slice(start, at));
      start = at + 1;
    }
  }
  return [...cells, row.slice(start)];
}

export function isRule(line: string): boolean {
  return RULE.test(line);
}
