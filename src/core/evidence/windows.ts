/**
 * The shortest piece of an original text that ties an identifier to what it is about: a whole line where it is short
 * enough, two where one says too little, a phrase of a long one. Always verbatim, cut at the borders of words.
 */
import { ASCII_END, isSpace, LINE_BREAK } from "./characters.ts";
import type { Range } from "./names.ts";
import { createRunReader, sameWord, type Runs } from "./plain-words.ts";

/** A window ties an identifier when it is so wide and holds two plain words beside it (docs/evaluation.md). */
const TYING_CHARS_MIN = 40;
const TYING_CHARS_BEYOND_ID = 24;
const TYING_STEP_CHARS = 4;
/** A line up to this length is quoted whole: longer ones cost more than they tell. */
const WHOLE_LINE_CHARS_MAX = 72;
/** Lines are quoted together up to this length. */
const LINES_CHARS_MAX = 120;
/** How much of a long line stands before the identifier, where it does not open the line. */
const LEAD_CHARS = 36;
/** How far a window may grow around an identifier in search of words. */
const REACH_CHARS = 120;
/** A line of less is a bracket or a bare line number: no reason to quote it. */
const TELLING_LINE_CHARS_MIN = 4;

/** Whether `window` ties the identifier that stands at `id`; `runs` are those of all that may tie it. */
export function ties(text: string, window: Range, id: Range, runs: Runs): boolean {
  const width = tyingChars(id);
  return tiesFrom(window, id, (start) => holdsTwoWords(text, runs, { start, end: start + width }));
}

/** The same, given whether the narrowest window that begins at a place holds two words. */
function tiesFrom(window: Range, id: Range, holds: (start: number) => boolean): boolean {
  const width = tyingChars(id);
  const first = firstStart(window.start, id.end - width);
  const last = Math.min(id.start, window.end - width);
  for (let start = first; start <= last; start += TYING_STEP_CHARS) if (holds(start)) return true;
  return false;
}

/** The first place of the steps from `from` on that is not before `least`: what is quoted will not stand where it stands here. */
function firstStart(least: number, from: number): number {
  return from >= least ? from : from + Math.ceil((least - from) / TYING_STEP_CHARS) * TYING_STEP_CHARS;
}

/** Whether a window around the identifier that holds two plain words passes the test. */
export function tiesWhere(text: string, id: Range, passes: (window: Range) => boolean): boolean {
  const width = tyingChars(id);
  const first = firstStart(0, id.end - width);
  const last = Math.min(id.start, text.length - width);
  if (last < first) return false;
  const runs = readAround(text, first, last + width);
  for (let start = first; start <= last; start += TYING_STEP_CHARS) {
    const window = { start, end: start + width };
    if (holdsTwoWords(text, runs, window) && passes(window)) return true;
  }
  return false;
}

/** Fewer characters hold no plain word, and fewer of ASCII alone none either. */
const CUT_CHARS_MIN = 2;
const ASCII_CUT_CHARS_MIN = 4;

/** Of the runs around an identifier, and of what is left of a run that a window's border cuts. */
const readAround = createRunReader();
const readCut = createRunReader();

/** Whether a window holds two different plain words. A run that its border cuts is read again: what is left of it may be a word where the whole was none. */
function holdsTwoWords(text: string, runs: Runs, { start, end }: Range): boolean {
  const { count, starts, ends, firsts } = runs;
  let from = -1;
  let until = -1;
  let cut = false;
  for (let run = 0; run < count && starts[run]! < end; run++) {
    if (ends[run]! <= start) continue;
    if (starts[run]! < start || ends[run]! > end) cut = true;
    else {
      if (from < 0) from = firsts[run]!;
      until = firsts[run + 1]!;
    }
  }
  if (differ(text, runs, from, until)) return true;
  return cut && cutsHoldOther(text, runs, { window: { start, end }, word: from < until ? from : -1 });
}

/** Whether the words from `from` up to `until` are not all the same. */
function differ(text: string, runs: Runs, from: number, until: number): boolean {
  for (let at = from + 1; at < until; at++) if (!sameWord(text, wordAt(runs, from), wordAt(runs, at))) return true;
  return false;
}

function wordAt({ wordStarts, wordEnds }: Runs, at: number): Range {
  return { start: wordStarts[at]!, end: wordEnds[at]! };
}

/** Whether what a window leaves of the runs at its borders holds another word than `word`, or two where that is none (-1). */
function cutsHoldOther(text: string, runs: Runs, { window, word }: { window: Range; word: number }): boolean {
  const { count, starts, ends } = runs;
  let one = word < 0 ? undefined : wordAt(runs, word);
  for (let run = 0; run < count && starts[run]! < window.end; run++) {
    if (ends[run]! <= window.start || (starts[run]! >= window.start && ends[run]! <= window.end)) continue;
    const start = Math.max(starts[run]!, window.start);
    const end = Math.min(ends[run]!, window.end);
    if (holdsNoWord(text, start, end)) continue;
    const left = readCut(text, start, end);
    for (let at = 0; at < left.firsts[left.count]!; at++) {
      one ??= wordAt(left, at);
      if (!sameWord(text, one, wordAt(left, at))) return true;
    }
  }
  return false;
}

/** Whether a piece is too short to hold a plain word: most of what windows cut off is. */
function holdsNoWord(text: string, start: number, end: number): boolean {
  if (end - start < CUT_CHARS_MIN || end - start >= ASCII_CUT_CHARS_MIN) return end - start < CUT_CHARS_MIN;
  for (let at = start; at < end; at++) if (text.charCodeAt(at) >= ASCII_END) return false;
  return true;
}

function tyingChars({ start, end }: Range): number {
  return Math.max(TYING_CHARS_MIN, end - start + TYING_CHARS_BEYOND_ID);
}

/** The window around an identifier; undefined where nothing near it says anything. */
export function windowAround(text: string, id: Range): Range | undefined {
  const reach = { start: Math.max(0, id.start - REACH_CHARS), end: Math.min(text.length, id.end + REACH_CHARS) };
  const within = tyingReach(text, id);
  const runs = readAround(text, within.start, within.end);
  const width = tyingChars(id);
  // Whatever window is tried, its narrowest ones begin at the same places: what they hold is worked out once.
  const held: (boolean | undefined)[] = [];
  const holds = (start: number): boolean =>
    (held[(start - id.end + width) / TYING_STEP_CHARS] ??= holdsTwoWords(text, runs, { start, end: start + width }));
  const tied = (window: Range): boolean => tiesFrom(window, id, holds);
  const line = lineAround(text, id, reach);
  if (line.end - line.start > WHOLE_LINE_CHARS_MAX) {
    const inLine = phrase(text, { id, limits: line, tied });
    if (inLine !== undefined) return inLine;
  }
  const numbered = { start: beforeGutter(text, line.start, reach.start), end: line.end };
  const after = { start: numbered.start, end: nextLineEnd(text, line.end, numbered.start + LINES_CHARS_MAX) };
  const before = { start: previousLineStart(text, numbered.start, line.end - LINES_CHARS_MAX), end: line.end };
  const both = { start: before.start, end: after.end };
  return [line, numbered, after, before, both].find(tied) ?? phrase(text, { id, limits: reach, tied });
}

/** All that any tying window around an identifier can hold. */
function tyingReach(text: string, id: Range): Range {
  const width = tyingChars(id);
  return { start: Math.max(0, id.end - width), end: Math.min(text.length, id.start + width) };
}

interface Search {
  readonly id: Range;
  readonly limits: Range;
  readonly tied: (window: Range) => boolean;
}

/** Grows from the identifier, first to the right, until the window ties it or the limits are reached. */
function phrase(text: string, { id, limits, tied }: Search): Range | undefined {
  const width = tyingChars(id);
  const led = id.start - limits.start > LEAD_CHARS;
  let start = led ? wordStart(text, id.start - LEAD_CHARS, limits.start) : limits.start;
  let end = wordEnd(text, Math.max(id.end, start + width), limits.end);
  for (;;) {
    if (tied({ start, end })) return { start, end };
    if (end < limits.end && end < id.start + width) end = wordEnd(text, end + 1, limits.end);
    else if (start > limits.start && start > id.end - width) start = wordStart(text, start - 1, limits.start);
    else return undefined;
  }
}

/** The nearest border of a word at or before a place, not before the limit. */
function wordStart(text: string, from: number, limit: number): number {
  let at = Math.max(limit, from);
  while (at > limit && !isSpace(text.charCodeAt(at - 1))) at--;
  return skipSpace(text, at, from);
}

/** The nearest border of a word at or after a place, not after the limit. */
function wordEnd(text: string, from: number, limit: number): number {
  let at = Math.min(limit, from);
  while (at < limit && !isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The line around an identifier without its margins, as far as it lies within reach. */
function lineAround(text: string, id: Range, reach: Range): Range {
  let { start, end } = id;
  while (start > reach.start && text.charCodeAt(start - 1) !== LINE_BREAK) start--;
  while (end < reach.end && text.charCodeAt(end) !== LINE_BREAK) end++;
  while (end > id.end && isSpace(text.charCodeAt(end - 1))) end--;
  return { start: afterGutter(text, start, id.start), end };
}

const ARROW = "→";

/** White space and the line number that a tool put before a line are no part of it. */
function afterGutter(text: string, from: number, limit: number): number {
  const at = skipSpace(text, from, limit);
  const digits = skipDigits(text, at, limit);
  const gutter = digits > at && text.startsWith(ARROW, digits);
  return Math.min(gutter ? skipSpace(text, digits + ARROW.length, limit) : at, limit);
}

/** The start of the line number before a line, or the line's own start. */
function beforeGutter(text: string, from: number, limit: number): number {
  let at = from;
  while (at > limit && isSpace(text.charCodeAt(at - 1)) && text.charCodeAt(at - 1) !== LINE_BREAK) at--;
  if (at === limit || !text.startsWith(ARROW, at - 1)) return from;
  at--;
  while (at > limit && isDigit(text.charCodeAt(at - 1))) at--;
  return at;
}

/** The end of the next line that says something, or the same place where it lies beyond the limit. */
function nextLineEnd(text: string, from: number, limit: number): number {
  const most = Math.min(text.length, limit + 1);
  let at = from;
  for (;;) {
    const start = skipSpace(text, at, most);
    at = start;
    while (at < most && text.charCodeAt(at) !== LINE_BREAK) at++;
    if (at > limit || start === at) return from;
    if (at - afterGutter(text, start, at) >= TELLING_LINE_CHARS_MIN) break;
  }
  while (isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

/** The start of the line before that says something, or the same place where it lies before the limit. */
function previousLineStart(text: string, from: number, limit: number): number {
  const least = Math.max(0, limit);
  let at = from;
  while (at > least && text.charCodeAt(at - 1) !== LINE_BREAK) at--;
  for (;;) {
    let end = at;
    while (end > least && isSpace(text.charCodeAt(end - 1))) end--;
    at = end;
    while (at > least && text.charCodeAt(at - 1) !== LINE_BREAK) at--;
    if (end <= least || (at > 0 && text.charCodeAt(at - 1) !== LINE_BREAK)) return from;
    if (end - afterGutter(text, at, end) >= TELLING_LINE_CHARS_MIN) return skipSpace(text, at, from);
  }
}

function skipSpace(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function skipDigits(text: string, from: number, limit: number): number {
  let at = from;
  while (at < limit && isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
