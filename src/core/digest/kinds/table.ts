/** A table: its header, how many rows, the extremes of each numeric column with the rows they are in, and a sample. */
import { oneLine } from "../cut.ts";
import type { Page } from "../page.ts";
import { plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";
import { cellsOf, type TableRow } from "./table-columns.ts";
import { tableLayout, type TableLayout } from "./table-layout.ts";
import { recordLayout, type RecordLayout } from "./table-records.ts";

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
  const numeric = even ? extremesOf(layout).slice(0, COLUMNS_SHOWN_MAX) : [];
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

function extremesOf({ header, columns, rows, style }: TableLayout): readonly Extremes[] {
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
