/** Rows written one value a line: psql's expanded display and the line mode of sqlite3. */
import type { TableRow } from "./table-columns.ts";

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
  if (starts.length > 0) return layoutOf(lines, starts, { name: EXPANDED, skipped: 1 });
  const first = lines.findIndex((line) => line.trim() !== "");
  const name = ASSIGNED.exec(lines[first] ?? "")?.[1];
  if (name === undefined) return undefined;
  const rows = lines.flatMap((text, line) => (ASSIGNED.exec(text)?.[1] === name ? { line, text } : []));
  return rows.length < RECORDS_MIN ? undefined : layoutOf(lines, rows, { name: ASSIGNED, skipped: 0 });
}

interface RecordForm {
  readonly name: RegExp;
  /** Lines before the first value of a record. */
  readonly skipped: number;
}

function layoutOf(lines: readonly string[], rows: readonly TableRow[], { name, skipped }: RecordForm): RecordLayout {
  const from = rows[0]!.line;
  const end = rows[1]?.line ?? lines.length;
  const columns = lines.slice(from + skipped, end).flatMap((line) => name.exec(line)?.[1] ?? []);
  return { columns, rows, linesPerRow: skipped + columns.length };
}
