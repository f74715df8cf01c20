/**
 * The shortest piece of an original text that ties an identifier to what it is about: whole short lines where that is
 * enough, a phrase of a long one, two lines where one is too short. Always verbatim, cut at the borders of words.
 */
import { isSpace, LINE_BREAK } from "./characters.ts";
import type { Range } from "./names.ts";
import { runsIn, type Run } from "./plain-words.ts";

/** A window ties an identifier when it is so wide and holds two plain words beside it (the measure of DESIGN §5). */
const TYING_CHARS_MIN = 40;
const TYING_CHARS_BEYOND_ID = 24;
const TYING_STEP_CHARS = 4;
/** A line up to this length is quoted whole. */
const WHOLE_LINE_CHARS_MAX = 80;
const LINES_CHARS_MAX = 160;
/** How much of a long line stands before the identifier, where it does not open the line. */
const LEAD_CHARS = 24;
/** How far a window may grow around an identifier in search of words. */
const REACH_CHARS = 120;

/** Whether `window` ties the identifier that stands at `id`. */
export function ties(text: string, window: Range, id: Range): boolean {
  return tiesWhere(text, id, ({ start, end }) => start >= window.start && end <= window.end);
}

/** Whether a window around the identifier that holds two plain words passes the test. */
export function tiesWhere(text: string, id: Range, passes: (window: Range) => boolean): boolean {
  const width = tyingChars(id);
  const first = Math.max(0, id.end - width);
  const last = Math.min(id.start, text.length - width);
  if (last < first) return false;
  const runs = runsIn(text, { start: first, end: last + width });
  for (let start = first; start <= last; start += TYING_STEP_CHARS) {
    const window = { start, end: start + width };
    if (holdsTwoWords(text, runs, window) && passes(window)) return true;
  }
  return false;
}

/** A run that the window's border cuts is read again: what is left of it may be a word where the whole was none. */
function holdsTwoWords(text: string, runs: readonly Run[], window: Range): boolean {
  let one: string | undefined;
  for (const run of runs) {
    if (run.end <= window.start) continue;
    if (run.start >= window.end) break;
    const [start, end] = [Math.max(run.start, window.start), Math.min(run.end, window.end)];
    const isCut = start !== run.start || end !== run.end;
    const words = isCut ? runsIn(text, { start, end }).flatMap((part) => part.words) : run.words;
    for (const word of words) {
      if (one === undefined) one = word;
      else if (word !== one) return true;
    }
  }
  return false;
}

function tyingChars({ start, end }: Range): number {
  return Math.max(TYING_CHARS_MIN, end - start + TYING_CHARS_BEYOND_ID);
}

/** The window around an identifier; undefined where nothing near it says anything. */
export function windowAround(text: string, id: Range): Range | undefined {
  const line = lineAround(text, id);
  if (line.end - line.start > WHOLE_LINE_CHARS_MAX) {
    const inLine = phrase(text, id, line);
    if (inLine !== undefined) return inLine;
  }
  if (ties(text, line, id)) return line;
  const after = { start: line.start, end: nextLineEnd(text, line.end, line.start + LINES_CHARS_MAX) };
  if (after.end > line.end && ties(text, after, id)) return after;
  const before = { start: previousLineStart(text, line.start, line.end - LINES_CHARS_MAX), end: line.end };
  if (before.start < line.start && ties(text, before, id)) return before;
  const both = { start: before.start, end: after.end };
  if (ties(text, both, id)) return both;
  return phrase(text, id, {
    start: Math.max(0, id.start - REACH_CHARS),
    end: Math.min(text.length, id.end + REACH_CHARS),
  });
}

/** The end of the line after this one that says something, or the same place where it lies beyond the limit. */
function nextLineEnd(text: string, from: number, limit: number): number {
  let at = skipSpace(text, from, text.length);
  while (at < text.length && at <= limit && text.charCodeAt(at) !== LINE_BREAK) at++;
  if (at > limit) return from;
  while (at > from && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

function previousLineStart(text: string, from: number, limit: number): number {
  let at = from;
  while (at > 0 && at >= limit && text.charCodeAt(at - 1) !== LINE_BREAK) at--;
  while (at > 0 && at >= limit && isSpace(text.charCodeAt(at - 1))) at--;
  while (at > 0 && at >= limit && text.charCodeAt(at - 1) !== LINE_BREAK) at--;
  return at < limit ? from : skipSpace(text, at, from);
}

/** Grows from the identifier, first to the right, until the window ties it or the limits are reached. */
function phrase(text: string, id: Range, limits: Range): Range | undefined {
  const width = tyingChars(id);
  let start =
    id.start - limits.start <= LEAD_CHARS ? limits.start : wordStart(text, id.start - LEAD_CHARS, limits.start);
  let end = wordEnd(text, Math.max(id.end, start + width), limits.end);
  for (;;) {
    const window = { start, end };
    if (ties(text, window, id)) return window;
    if (end < limits.end && end < id.start + width) end = wordEnd(text, end + 1, limits.end);
    else if (start > limits.start && start > id.end - width) start = wordStart(text, start - 1, limits.start);
    else break;
  }
  return undefined;
}

/** The nearest border of a word at or before a place, not before the limit. */
function wordStart(text: string, from: number, limit: number): number {
  let at = Math.max(limit, from);
  while (at > limit && !isSpace(text.charCodeAt(at - 1))) at--;
  while (at < from && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The nearest border of a word at or after a place, not after the limit. */
function wordEnd(text: string, from: number, limit: number): number {
  let at = Math.min(limit, from);
  while (at < limit && !isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The line around a place without its margins, as far as it lies within reach. */
function lineAround(text: string, id: Range): Range {
  let { start, end } = id;
  const [least, most] = [Math.max(0, id.start - REACH_CHARS), Math.min(text.length, id.end + REACH_CHARS)];
  while (start > least && text.charCodeAt(start - 1) !== LINE_BREAK) start--;
  while (end < most && text.charCodeAt(end) !== LINE_BREAK) end++;
  start = afterMargin(text, start, id.start);
  while (end > id.end && isSpace(text.charCodeAt(end - 1))) end--;
  return { start, end };
}

const ARROW = "→";

/** White space and the line number that a tool put before a line are no part of it. */
function afterMargin(text: string, from: number, limit: number): number {
  let at = skipSpace(text, from, limit);
  let digits = at;
  while (digits < limit && text.charCodeAt(digits) >= 0x30 && text.charCodeAt(digits) <= 0x39) digits++;
  if (digits > at && text.startsWith(ARROW, digits)) at = skipSpace(text, digits + ARROW.length, limit);
  return Math.min(at, limit);
}

function skipSpace(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isSpace(text.charCodeAt(at))) at++;
  return at;
}
