/** A table: its header, how many rows, the extremes of each numeric column with the rows they are in, and a sample. */
import { oneLine } from "../cut.ts";
import type { Page } from "../page.ts";
import { plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";
import { cellsOf, isRule, tableStyle, type TableStyle } from "./table-columns.ts";

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

export function shortTable(page: Page, { focus }: DigestContentRequest): DigestContent {
  const style = tableStyle(page.lines.slice(0, STYLE_LINES).filter((line) => line.trim() !== ""));
  const header = page.lines.findIndex((line) => line.trim() !== "" && !isRule(line));
  if (style === undefined || header < 0)
    return { facts: [], lines: [...range(0, 6), ...focus, ...range(page.lines.length - 3, page.lines.length)] };
  const columns = cellsOf(page.lines[header]!, style).map((name) => oneLine(name, 40));
  const rows = rowsAfter(page, header);
  // Columns that only look aligned would be distinguished wrongly: then nothing is said of them.
  const even = isEven(page, rows, { columns, style });
  const numeric = even ? extremesOf(page, rows, { columns, style }).slice(0, COLUMNS_SHOWN_MAX) : [];
  const last = rows.slice(-1);
  return {
    facts: [plural(rows.length, "row"), even ? plural(columns.length, "column") : ""],
    notes:
      numeric.length === 0 ? [] : [`(${numeric.map(({ name, min, max }) => `${name} ${min} to ${max}`).join("; ")})`],
    lines: [
      header,
      ...rows.slice(0, 2),
      ...last,
      ...focus.slice(0, 4),
      ...numeric.slice(0, 4).flatMap(({ minLine, maxLine }) => [maxLine, minLine]),
      ...rows.slice(2, 5),
      ...focus,
    ],
    must: 1,
  };
}

/** Whether rows have as many cells as the header. */
function isEven(page: Page, rows: readonly number[], { columns, style }: Columns): boolean {
  const sample = rows.slice(0, STYLE_LINES);
  return (
    sample.filter((row) => cellsOf(page.lines[row]!, style).length === columns.length).length >=
    sample.length * EVEN_SHARE
  );
}

interface Columns {
  readonly columns: readonly string[];
  readonly style: TableStyle;
}

function rowsAfter(page: Page, header: number): readonly number[] {
  const rows: number[] = [];
  for (let at = header + 1; at < page.lines.length; at++)
    if (page.lines[at]!.trim() !== "" && !isRule(page.lines[at]!)) rows.push(at);
  return rows;
}

function extremesOf(page: Page, rows: readonly number[], { columns, style }: Columns): readonly Extremes[] {
  const extremes = columns
    .slice(0, COLUMNS_MAX)
    .map((name): Extremes => ({ name, min: Infinity, minLine: 0, max: -Infinity, maxLine: 0, numbers: 0 }));
  const scanned = rows.slice(0, ROWS_SCANNED_MAX);
  for (const row of scanned) {
    const cells = cellsOf(page.lines[row]!, style);
    for (const [at, column] of extremes.entries()) widen(column, numberIn(cells[at]), row);
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
