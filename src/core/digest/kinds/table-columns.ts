/** Tables in plain text: comma, tab, semicolon or pipe between cells, or columns aligned by spaces. */

export type TableStyle = "comma" | "tab" | "semicolon" | "pipe" | "box" | "aligned";

/** A row with the number of the line that it begins on. */
export interface TableRow {
  readonly line: number;
  readonly text: string;
}

const SEPARATORS: readonly (readonly [style: TableStyle, separator: string, cellsMin: number])[] = [
  ["tab", "\t", 2],
  ["pipe", "|", 2],
  ["box", "│", 2],
  ["comma", ",", 3],
  ["semicolon", ";", 3],
];
const ROWS_MIN = 3;
/** Share of lines that must have the same number of cells. */
const AGREEMENT = 0.8;
const RULE = /^[\s|+:=\-\u2500-\u257f]+$/;
/** Not one that stands there as a character. */
const PIPE = /(?<!\\)\|/;
/** A quoted cell ends within so many lines, or the quote is a character. */
const RECORD_LINES_MAX = 50;

/** `rowsMin`: the header included. */
export function tableStyle(lines: readonly string[], rowsMin = ROWS_MIN): TableStyle | undefined {
  const rows = lines.filter((line) => !RULE.test(line));
  if (rows.length < rowsMin) return undefined;
  for (const [style, , cellsMin] of SEPARATORS) if (agrees(rows, style, cellsMin)) return style;
  return agrees(rows, "aligned", 3) ? "aligned" : undefined;
}

export function looksLikeTable(lines: readonly string[]): boolean {
  return tableStyle(lines) !== undefined;
}

/** Lines as rows: a quoted cell of a CSV may go over several. */
export function joinedRecords(lines: readonly string[]): readonly TableRow[] {
  const rows: TableRow[] = [];
  for (let line = 0; line < lines.length; line++) {
    const end = isOpen(lines[line]!) ? closingLine(lines, line) : line;
    rows.push({ line, text: end === line ? lines[line]! : lines.slice(line, end + 1).join(" ") });
    line = end;
  }
  return rows;
}

function closingLine(lines: readonly string[], from: number): number {
  const until = Math.min(lines.length, from + RECORD_LINES_MAX);
  for (let at = from + 1; at < until; at++) if (isOpen(lines[at]!)) return at;
  return from;
}

/** It has an odd number of quotes: it opens a cell that the next such line closes. */
function isOpen(line: string): boolean {
  return line.includes('"') && line.split('"').length % 2 === 0;
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
      return between(
        row
          .trim()
          .replace(/^\|/, "")
          .replace(/(?<!\\)\|$/, ""),
        PIPE,
      );
    case "box":
      return between(row.trim().replace(/^│/, "").replace(/│$/, ""), "│");
    case "tab":
      return row.split("\t");
    case "comma":
      return separated(row, ",");
    case "semicolon":
      return separated(row, ";");
  }
}

function between(row: string, separator: RegExp | string): readonly string[] {
  return row.split(separator).map((cell) => cell.trim());
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

export interface RecordLayout {
  readonly columns: readonly string[];
  /** The first line of each record. */
  readonly rows: readonly TableRow[];
  /** Lines that a record takes. */
  readonly linesPerRow: number;
}

const RECORD = /^-\[ RECORD \d+ \]/;
const EXPANDED = /^(\S[^|]{0,80}?)\s*\| /;
const ASSIGNED = /^\s*(\w[\w .()*"-]{0,80}?) = /;
const RECORDS_MIN = 2;

export function isRecordLine(line: string): boolean {
  return RECORD.test(line) || EXPANDED.test(line) || ASSIGNED.test(line);
}

/** Undefined where the lines are no such records. */
export function recordLayout(lines: readonly string[]): RecordLayout | undefined {
  const starts = lines.flatMap((text, line) => (RECORD.test(text) ? { line, text } : []));
  if (starts.length > 0) return layOutRecords(lines, starts, { name: EXPANDED, skipped: 1 });
  const first = lines.findIndex((line) => line.trim() !== "");
  const name = ASSIGNED.exec(lines[first] ?? "")?.[1];
  if (name === undefined) return undefined;
  const rows = lines.flatMap((text, line) => (ASSIGNED.exec(text)?.[1] === name ? { line, text } : []));
  return rows.length < RECORDS_MIN ? undefined : layOutRecords(lines, rows, { name: ASSIGNED, skipped: 0 });
}

interface RecordForm {
  readonly name: RegExp;
  /** Lines before the first value of a record. */
  readonly skipped: number;
}

function layOutRecords(
  lines: readonly string[],
  rows: readonly TableRow[],
  { name, skipped }: RecordForm,
): RecordLayout {
  const from = rows[0]!.line;
  const end = rows[1]?.line ?? lines.length;
  const columns = lines.slice(from + skipped, end).flatMap((line) => name.exec(line)?.[1] ?? []);
  return { columns, rows, linesPerRow: skipped + columns.length };
}
