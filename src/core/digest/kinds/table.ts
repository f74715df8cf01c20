/** A table: its header, how many rows, the extremes of each numeric column with the rows they are in, and a sample. */
import { oneLine } from "../cut.ts";
import type { Page } from "../page.ts";
import { plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

const STYLE_LINES = 200;
const ROWS_SCANNED_MAX = 50_000;
const COLUMNS_MAX = 40;
const COLUMNS_SHOWN_MAX = 8;
const NUMBER = /^[-+]?[$€£]?\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?\s?%?$/i;
const NUMBER_CHARS_MAX = 30;
/** Share of rows that must have as many cells as the header. */
const EVEN_SHARE = 0.8;
/** Share of a column's cells that must be numbers. */
const NUMERIC_SHARE = 0.8;

interface Extremes {
  readonly name: string;
  min: number;
  minLine: number;
  max: number;
  maxLine: number;
  numbers: number;
}

export function shortTable(page: Page, { call, focus }: DigestContentRequest): DigestContent {
  const records = recordLayout(page.lines);
  if (records !== undefined) return shortRecords(records, focus);
  const layout = tableLayout(page.lines, call.command);
  if (layout === undefined)
    return { facts: [], lines: [...range(0, 6), ...focus, ...range(page.lines.length - 3, page.lines.length)] };
  const { header, rows, tables } = layout;
  // Columns that only look aligned would be told apart wrongly: then nothing is said of them.
  const even = isEven(layout);
  const numeric = even ? findExtremes(layout).slice(0, COLUMNS_SHOWN_MAX) : [];
  const lines = rows.map(({ line }) => line);
  return {
    facts: [
      tables === 1 ? "" : plural(tables, "table"),
      plural(rows.length, "row"),
      even && tables === 1 ? plural(layout.columns.length, "column") : "",
      header === undefined ? "no header" : "",
    ],
    notes:
      numeric.length === 0 ? [] : [`(${numeric.map(({ name, min, max }) => `${name} ${min} to ${max}`).join("; ")})`],
    lines: [
      ...(header === undefined ? [] : [header]),
      ...lines.slice(0, 2),
      ...lines.slice(-1),
      ...focus.slice(0, 4),
      ...numeric.slice(0, 4).flatMap(({ minLine, maxLine }) => [maxLine, minLine]),
      ...lines.slice(2, 5),
      ...focus,
    ],
    must: 1,
  };
}

/** Two records from the start and the last one. */
function shortRecords({ columns, rows, linesPerRow }: RecordLayout, focus: readonly number[]): DigestContent {
  const linesOf = (row: TableRow | undefined): readonly number[] =>
    row === undefined ? [] : range(row.line, row.line + linesPerRow);
  return {
    facts: [plural(rows.length, "row"), plural(columns.length, "column")],
    lines: [...linesOf(rows[0]), ...linesOf(rows.at(-1)), ...focus, ...linesOf(rows[1])],
    must: 1,
  };
}

/** Whether rows have as many cells as the header. */
function isEven({ columns, rows, style }: TableLayout): boolean {
  const sample = rows.slice(0, STYLE_LINES);
  return (
    sample.filter(({ text }) => cellsOf(text, style).length === columns.length).length >= sample.length * EVEN_SHARE
  );
}

function findExtremes({ header, columns, rows, style }: TableLayout): readonly Extremes[] {
  const extremes = columns.slice(0, COLUMNS_MAX).map((cell, at): Extremes => {
    const name = header === undefined ? `column ${at + 1}` : oneLine(cell, 40);
    return { name, min: Infinity, minLine: 0, max: -Infinity, maxLine: 0, numbers: 0 };
  });
  const scanned = rows.slice(0, ROWS_SCANNED_MAX);
  for (const { line, text } of scanned) {
    const cells = cellsOf(text, style);
    for (const [at, column] of extremes.entries()) widen(column, numberIn(cells[at]), line);
  }
  return extremes.filter(
    ({ numbers, min, max }) => numbers >= scanned.length * NUMERIC_SHARE && numbers > 1 && min < max,
  );
}

function numberIn(cell: string | undefined): number | undefined {
  if (cell === undefined || cell.length > NUMBER_CHARS_MAX || !hasDigitEarly(cell)) return undefined;
  const plain = Number(cell);
  if (!Number.isNaN(plain)) return plain;
  const text = cell.trim().replace(/^"|"$/g, "");
  return NUMBER.test(text) ? Number(text.replace(/[$€£,_%\s]/g, "")) : undefined;
}

/** Most cells that are no number show it by their first characters. */
function hasDigitEarly(cell: string): boolean {
  for (let at = 0; at < Math.min(cell.length, 4); at++) if (cell[at]! >= "0" && cell[at]! <= "9") return true;
  return cell.startsWith(" ") && /\d/.test(cell);
}

function widen(column: Extremes, value: number | undefined, row: number): void {
  if (value === undefined) return;
  column.numbers++;
  if (value < column.min) {
    column.min = value;
    column.minLine = row;
  }
  if (value > column.max) {
    column.max = value;
    column.maxLine = row;
  }
}

interface TableLayout {
  readonly style: TableStyle;
  /** The line with the names; undefined where the first row is data already. */
  readonly header: number | undefined;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** How many tables stand there; the rows are those of all, the columns those of the first. */
  readonly tables: number;
}

const LAYOUT_LINES = 200;
/** psql, mysql and the timers of both. */
const FOOTER = /^\s*(?:\(\d+ rows?\)\s*$|\d+ rows? in set\b|Time: [\d.,]+ ms|Run Time: |Empty set)/;
const NUMERIC = /^[-+]?[$€£]?\d[\d.,_]*(?:e[-+]?\d+)?\s?%?$/i;
/** Options with which sqlite3 names its columns; without them its lists have no header. */
const SQLITE_HEADER = /\s-(?:header|box|table|markdown|column)\b|\.headers? on|\.mode (?:box|table|markdown|column)/;
const PSQL_TUPLES = /\s(?:-[A-Za-z]*t[A-Za-z]*|--tuples-only)\b/;

/** Undefined where the lines are no table. `command`: what wrote them, where that is known. */
export function tableLayout(lines: readonly string[], command = ""): TableLayout | undefined {
  const ruled = ruledTables(lines);
  if (ruled !== undefined) return ruled;
  const records = joinedRecords(lines).filter(({ text }) => text.trim() !== "" && !FOOTER.test(text) && !isRule(text));
  const style = tableStyle(records.slice(0, LAYOUT_LINES).map(({ text }) => text));
  const [first, ...rest] = records;
  if (style === undefined || first === undefined) return undefined;
  const cells = cellsOf(first.text, style);
  return isHeader(cells, rest, { style, command })
    ? { style, header: first.line, columns: cells, rows: rest, tables: 1 }
    : { style, header: undefined, columns: cells, rows: records, tables: 1 };
}

/** Tables whose header stands on a rule: Markdown, psql, mysql, sqlite3 with columns or boxes. */
function ruledTables(lines: readonly string[]): TableLayout | undefined {
  const blocks: (readonly TableRow[])[] = [];
  let header: number | undefined;
  for (let at = 0; at < lines.length; at++) {
    if (!isRuledHeader(lines, at)) continue;
    header ??= at;
    const end = blockEnd(lines, at);
    blocks.push(rowsBetween(lines, at + 2, end));
    at = end;
  }
  if (header === undefined) return undefined;
  const style = tableStyle([lines[header]!, ...blocks[0]!.slice(0, LAYOUT_LINES).map(({ text }) => text)], 1);
  if (style === undefined) return undefined;
  return { style, header, columns: cellsOf(lines[header]!, style), rows: blocks.flat(), tables: blocks.length };
}

/** The line above a rule that begins a table: nothing of the kind stands above it, but for a border. */
function isRuledHeader(lines: readonly string[], at: number): boolean {
  const [above, line, below] = [lines[at - 1] ?? "", lines[at]!, lines[at + 1] ?? ""];
  const isAlone = above.trim() === "" || isBorder(above) || !/[|│]/.test(above);
  return isAlone && isRuleOfColumns(below) && line.trim() !== "" && !isRule(line) && !FOOTER.test(line);
}

function isBorder(line: string): boolean {
  return isRule(line) && /^\s*[+┌╭╔]/.test(line);
}

/** A rule with a place between two columns; a line of dashes alone underlines a heading. */
function isRuleOfColumns(line: string): boolean {
  return isRule(line) && /[-=─═]/.test(line) && /[|+┼╪╬]|[-=]\s+[-=]/.test(line);
}

/** Where a table ends: at what is no row. */
function blockEnd(lines: readonly string[], header: number): number {
  let at = header + 2;
  while (at < lines.length && lines[at]!.trim() !== "" && !FOOTER.test(lines[at]!)) at++;
  return at;
}

function rowsBetween(lines: readonly string[], from: number, until: number): readonly TableRow[] {
  return lines.slice(from, until).flatMap((text, at) => (isRule(text) ? [] : [{ line: from + at, text }]));
}

interface Origin {
  readonly style: TableStyle;
  readonly command: string;
}

/** A first row that names columns has no number where the column has numbers, unless the program writes no names at all. */
function isHeader(cells: readonly string[], rows: readonly TableRow[], { style, command }: Origin): boolean {
  if (/\bsqlite3\b/.test(command)) return SQLITE_HEADER.test(command);
  if (/\bpsql\b/.test(command) && PSQL_TUPLES.test(command)) return false;
  const sample = rows.slice(0, LAYOUT_LINES).map(({ text }) => cellsOf(text, style));
  const isNumeric = (at: number): boolean =>
    sample.filter((row) => NUMERIC.test(bare(row[at] ?? ""))).length * 2 > sample.length;
  return !cells.some((cell, at) => NUMERIC.test(bare(cell)) && isNumeric(at));
}

function bare(cell: string): string {
  return cell.trim().replace(/^"|"$/g, "");
}

type TableStyle = "comma" | "tab" | "semicolon" | "pipe" | "box" | "aligned";

/** A row with the number of the line that it begins on. */
interface TableRow {
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

function cellsOf(row: string, style: TableStyle): readonly string[] {
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

function isRule(line: string): boolean {
  return RULE.test(line);
}

interface RecordLayout {
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
function recordLayout(lines: readonly string[]): RecordLayout | undefined {
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
