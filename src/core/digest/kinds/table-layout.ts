/**
 * Where the rows of a table in plain text are: which line names the columns, if any, and which lines are neither rows nor
 * header: rules, the words around a table, and what psql, sqlite3 and mysql write below it.
 */
import { cellsOf, isRule, joinedRecords, tableStyle, type TableRow, type TableStyle } from "./table-columns.ts";

export interface TableLayout {
  readonly style: TableStyle;
  /** The line with the names; undefined where the first row is data already. */
  readonly header: number | undefined;
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  /** How many tables stand there; the rows are those of all, the columns those of the first. */
  readonly tables: number;
}

const STYLE_LINES = 200;
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
  const style = tableStyle(records.slice(0, STYLE_LINES).map(({ text }) => text));
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
  const style = tableStyle([lines[header]!, ...blocks[0]!.slice(0, STYLE_LINES).map(({ text }) => text)], 1);
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
  const sample = rows.slice(0, STYLE_LINES).map(({ text }) => cellsOf(text, style));
  const isNumeric = (at: number): boolean =>
    sample.filter((row) => NUMERIC.test(bare(row[at] ?? ""))).length * 2 > sample.length;
  return !cells.some((cell, at) => NUMERIC.test(bare(cell)) && isNumeric(at));
}

function bare(cell: string): string {
  return cell.trim().replace(/^"|"$/g, "");
}
