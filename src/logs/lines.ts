/**
 * JSON lines as they are found on disk: with half-written lines after a crash, and records that two writers put on
 * one line. What can be read is read; the rest is noted with its line number.
 */
import { asFields, asTime, tryParseJson, type Fields } from "./fields.ts";
import { makeNote, type LogNote } from "./log.ts";

export interface Line {
  readonly at: number;
  readonly record: Fields;
}

/** A whole text, or its lines one by one, so that a large file need not be in memory together with what is read from it. */
export type LogText = string | Iterable<string>;

/**
 * A second copy of each result, for the agent's own screen; as large as the conversation, and no reader looks at it.
 */
const UNREAD_FIELD = "toolUseResult";

export function readLines(text: LogText): { readonly lines: readonly Line[]; readonly notes: readonly LogNote[] } {
  const lines: Line[] = [];
  const notes: LogNote[] = [];
  const keep = (at: number, json: string): boolean => {
    const record = asFields(tryParseJson(json)) as Record<string, unknown> | undefined;
    if (record === undefined) return false;
    if (UNREAD_FIELD in record) record[UNREAD_FIELD] = undefined;
    lines.push({ at, record });
    return true;
  };
  let at = 0;
  for (const raw of typeof text === "string" ? text.split("\n") : text) {
    at++;
    const json = trimLine(raw);
    if (json === "" || keep(at, json)) continue;
    const { records, unread } = splitGlued(json);
    const read = records.filter((record) => keep(at, record));
    const skipped = unread + countChars(records) - countChars(read);
    if (read.length > 1) notes.push(makeNote("glued_line", at, `${read.length} records stood on one line`));
    if (skipped > 0)
      notes.push(makeNote("corrupt_line", at, `${skipped} characters that are not a JSON object were skipped`));
  }
  return { lines, notes };
}

export function readTimes(lines: readonly Line[], field = "timestamp"): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const { at, record } of lines) {
    const time = asTime(record[field]);
    if (time !== undefined && !times.has(at)) times.set(at, time);
  }
  return times;
}

/** A byte order mark, a carriage return and the zeros that a crash leaves behind are not content. */
export function trimLine(raw: string): string {
  const text = raw.trim();
  return text.charCodeAt(0) === 0 ? text.replaceAll("\u0000", "").trim() : text;
}

/**
 * The whole objects of a line, and how many characters of other things are between and behind them: a record that was cut
 * off may have the next one right behind it. Linear: each character is seen once or twice.
 */
function splitGlued(line: string): { readonly records: readonly string[]; readonly unread: number } {
  const records: string[] = [];
  let unread = 0;
  let start = 0;
  while (start < line.length) {
    const { end, whole } = objectAt(line, start);
    // Behind what is broken, a piece of it may look like a record; a record ends where its line ends, or another begins.
    if (whole && (unread === 0 || end === line.length || line.charCodeAt(end) === OPEN_BRACE))
      records.push(line.slice(start, end));
    else unread += end - start;
    start = end;
    while (line[start] === " " || line[start] === ",") start++;
  }
  return { records, unread };
}

const OPENING = '{"';
const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];
const CLOSES: Readonly<Record<number, number>> = { [CLOSE_BRACE]: OPEN_BRACE, [CLOSE_LIST]: OPEN_LIST };
const BEFORE_VALUE = /[{[,:]/;
const BEHIND_STRING = /[:,}\]]/;

/** Where the object that opens at `start` ends: whole, or broken by what cannot stand there, where the next may begin. */
function objectAt(line: string, start: number): { readonly end: number; readonly whole: boolean } {
  const open: number[] = [];
  let quoted = false;
  let last = ":";
  for (let at = start; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
      continue;
    }
    if (code <= SPACE) continue;
    const opens = code === OPEN_BRACE || code === OPEN_LIST;
    const misplaced =
      (at === start && code !== OPEN_BRACE) ||
      (last === '"' && !BEHIND_STRING.test(line[at]!)) ||
      ((opens || code === QUOTE) && !BEFORE_VALUE.test(last)) ||
      // A key is a string.
      (opens && (last === "{" || (last === "," && open.at(-1) === OPEN_BRACE)));
    if (misplaced || (CLOSES[code] !== undefined && open.pop() !== CLOSES[code]))
      return { end: nextOpening(line, start, at), whole: false };
    if (opens) open.push(code);
    if (open.length === 0) return { end: at + 1, whole: true };
    quoted = code === QUOTE;
    last = line[at]!;
  }
  return { end: line.length, whole: false };
}

const SPACE = 0x20;

/** The quote that opens a record closes a text that was cut off, so that what is noticed at `at` may begin just before it. */
function nextOpening(line: string, start: number, at: number): number {
  const before = line.slice(start + 1, at + OPENING.length).lastIndexOf(OPENING);
  const next = before >= 0 ? start + 1 + before : line.indexOf(OPENING, Math.max(at, start + 1));
  return next < 0 ? line.length : next;
}

function countChars(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
