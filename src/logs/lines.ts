/**
 * JSON lines as they are found on disk: with half-written lines after a crash, and records that two writers put on
 * one line. What can be read is read; the rest is noted with its line number.
 */
import { fieldsOf, timeOf, tryParseJson, type Fields } from "./fields.ts";
import type { LogNote } from "./log.ts";

export interface Line {
  /** Line number, from 1. */
  readonly at: number;
  readonly record: Fields;
}

/** A whole text, or its lines one by one, so that a large file need not be in memory beside what is read from it. */
export type LogText = string | Iterable<string>;

/**
 * A second copy of each result, for the agent's own screen; as large as the conversation, and no reader looks at it.
 */
const UNREAD_FIELD = "toolUseResult";

export function readLines(text: LogText): { readonly lines: readonly Line[]; readonly notes: readonly LogNote[] } {
  const lines: Line[] = [];
  const notes: LogNote[] = [];
  const keep = (at: number, json: string): boolean => {
    const record = fieldsOf(tryParseJson(json)) as Record<string, unknown> | undefined;
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
    const { records, rest } = splitGlued(json);
    const read = records.filter((record) => keep(at, record)).length;
    if (read > 0) notes.push({ code: "glued_line", line: at, text: `${read} records stood on one line` });
    if (rest !== "" || read < records.length)
      notes.push({
        code: "corrupt_line",
        line: at,
        text: `${(rest || json).length} characters that are not a JSON object were skipped`,
      });
  }
  return { lines, notes };
}

/** When each line was recorded, in milliseconds since the epoch, by its number; lines that do not say are absent. */
export function timesOf(lines: readonly Line[]): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const { at, record } of lines) {
    const time = timeOf(record["timestamp"]);
    if (time !== undefined && !times.has(at)) times.set(at, time);
  }
  return times;
}

/** A byte order mark, a carriage return and the zeros that a crash leaves behind are not content. */
export function trimLine(raw: string): string {
  const text = raw.trim();
  return text.charCodeAt(0) === 0 ? text.replaceAll("\u0000", "").trim() : text;
}

/** The complete objects at the start of a line, and what is left behind them. Linear: each character is seen once. */
function splitGlued(line: string): { readonly records: readonly string[]; readonly rest: string } {
  const records: string[] = [];
  let start = 0;
  while (line.charCodeAt(start) === OPEN_BRACE) {
    const end = endOfObject(line, start);
    if (end < 0) break;
    records.push(line.slice(start, end));
    start = end;
    while (line[start] === " " || line[start] === ",") start++;
  }
  return { records, rest: line.slice(start) };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Index behind the brace that closes the object opened at `start`; -1 where the line ends first. */
function endOfObject(line: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === OPEN_BRACE) depth++;
    else if (code === CLOSE_BRACE && --depth === 0) return at + 1;
  }
  return -1;
}
