/** A table: its header, how many rows, the extremes of each numeric column with the rows they are in, and a sample. */
import { oneLine } from "../cut.ts";
import type { Page } from "../page.ts";
import { plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

const COLUMNS_MAX = 40;
const COLUMNS_SHOWN_MAX = 8;
const NAME_CHARS_MAX = 40;
const ROWS_SCANNED_MAX = 50_000;
const NUMBER = /^[-+]?[$€£]?\d[\d,_]*(?:\.\d+)?(?:e[-+]?\d+)?\s?%?$/i;
const NUMBER_CHARS_MAX = 30;
const NUMERIC_SHARE = 0.8;

export function shortTable(page: Page, { focus }: DigestContentRequest): DigestContent {
  const layout = layOut(page.lines);
  if (layout === undefined)
    return { facts: [], lines: [...range(0, 6), ...focus, ...range(page.lines.length - 3, page.lines.length)] };
  const { header, columns, rows } = layout;
  const numeric = findExtremes(layout).slice(0, COLUMNS_SHOWN_MAX);
  const lines = rows.map(({ line }) => line);
  return {
    facts: [plural(rows.length, "row"), plural(columns.length, "column"), header === undefined ? "no header" : ""],
    notes:
      numeric.length === 0
        ? []
        : [`(${numeric.map(({ name, min, max }) => `${name} ${min.value} to ${max.value}`).join("; ")})`],
    lines: [
      ...(header === undefined ? [] : [header]),
      ...lines.slice(0, 2),
      ...lines.slice(-1),
      ...focus.slice(0, 4),
      ...numeric.slice(0, 4).flatMap(({ min, max }) => [max.line, min.line]),
      ...lines.slice(2, 5),
      ...focus,
    ],
    must: 1,
  };
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

interface Layout {
  /** The line with the names; undefined where the first row is data already. */
  readonly header: number | undefined;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Undefined where the lines are no table. What stands around one has no columns. */
function layOut(lines: readonly string[]): Layout | undefined {
  const style = tableStyle(lines.filter((line) => line.trim() !== ""));
  if (style === undefined) return undefined;
  const rows = lines
    .flatMap((text, line) => (RULE.test(text) ? [] : { line, cells: cellsOf(text, style) }))
    .filter(({ cells }) => cells.length >= CELLS_MIN[style]);
  const [first, ...rest] = rows;
  if (first === undefined) return undefined;
  const isData = first.cells.some((cell, at) => numberIn(cell) !== undefined && numbersIn(rest, at).length > 0);
  return isData
    ? { header: undefined, columns: first.cells, rows }
    : { header: first.line, columns: first.cells, rows: rest };
}

interface NumberInRow {
  readonly line: number;
  readonly value: number;
}

/** The numbers of a column; none where it is not one of numbers. */
function numbersIn(rows: readonly Row[], column: number): readonly NumberInRow[] {
  const numbers = rows.flatMap(({ line, cells }) => {
    const value = numberIn(cells[column]);
    return value === undefined ? [] : { line, value };
  });
  return numbers.length >= rows.length * NUMERIC_SHARE ? numbers : [];
}

function numberIn(cell: string | undefined): number | undefined {
  if (cell === undefined || cell.length > NUMBER_CHARS_MAX) return undefined;
  const text = cell.trim().replace(/^"|"$/g, "");
  return NUMBER.test(text) ? Number(text.replace(/[$€£,_%\s]/g, "")) : undefined;
}

interface Extremes {
  readonly name: string;
  readonly min: NumberInRow;
  readonly max: NumberInRow;
}

/** Of the columns whose numbers are not all the same. */
function findExtremes({ header, columns, rows }: Layout): readonly Extremes[] {
  const scanned = rows.slice(0, ROWS_SCANNED_MAX);
  return columns.slice(0, COLUMNS_MAX).flatMap((cell, at) => {
    const [first, ...rest] = numbersIn(scanned, at);
    if (first === undefined) return [];
    const min = rest.reduce((least, one) => (one.value < least.value ? one : least), first);
    const max = rest.reduce((most, one) => (one.value > most.value ? one : most), first);
    const name = header === undefined ? `column ${at + 1}` : oneLine(cell, NAME_CHARS_MAX);
    return min.value < max.value ? { name, min, max } : [];
  });
}

type TableStyle = "tab" | "pipe" | "box" | "comma" | "semicolon" | "aligned";

/** By style, in the order in which they are tried. */
const CELLS_MIN: Readonly<Record<TableStyle, number>> = { tab: 2, pipe: 2, box: 2, comma: 3, semicolon: 3, aligned: 3 };
const STYLES = Object.keys(CELLS_MIN) as readonly TableStyle[];
/** The header included. */
const ROWS_MIN = 3;
/** Share of lines that must have the same number of cells. */
const AGREEMENT = 0.8;
const STYLE_LINES = 200;
const RULE = /^[\s|+:=\-\u2500-\u257f]+$/;

export function looksLikeTable(lines: readonly string[]): boolean {
  return tableStyle(lines) !== undefined;
}

function tableStyle(lines: readonly string[]): TableStyle | undefined {
  const rows = lines.filter((line) => !RULE.test(line)).slice(0, STYLE_LINES);
  return rows.length < ROWS_MIN ? undefined : STYLES.find((style) => agrees(rows, style));
}

function agrees(rows: readonly string[], style: TableStyle): boolean {
  const widths = Map.groupBy(rows, (row) => cellsOf(row, style).length);
  const [width, same] = [...widths].reduce((best, one) => (one[1].length > best[1].length ? one : best));
  return width >= CELLS_MIN[style] && same.length >= rows.length * AGREEMENT;
}

function cellsOf(row: string, style: TableStyle): readonly string[] {
  switch (style) {
    case "aligned":
      return row.trim().split(/ {2,}/);
    case "pipe":
      return between(row, /(?<!\\)\|/);
    case "box":
      return between(row, /│/);
    case "tab":
      return row.split("\t");
    case "comma":
      return separated(row, ",");
    case "semicolon":
      return separated(row, ";");
  }
}

/** Without the bars around a row. */
function between(row: string, bar: RegExp): readonly string[] {
  const cells = row
    .trim()
    .split(bar)
    .map((cell) => cell.trim());
  return cells.slice(cells[0] === "" ? 1 : 0, cells.at(-1) === "" ? -1 : undefined);
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
