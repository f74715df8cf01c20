/**
 * The forms of identifiers, as the published measure of recall has them: what makes a word a symbol or a hash, where a
 * path or a URL ends and which part of it is its name. Every function looks at its own range only.
 */
import {
  classAt,
  codePoints,
  DIGIT,
  DOT,
  DOT_CODE,
  lastOf,
  LOWER,
  SLASH_CODE,
  TILDE,
  UNDERSCORE,
  UNDERSCORE_CODE,
  UPPER,
  WIDE,
  WORD,
} from "./characters.ts";

/** Half-open range of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

const SYMBOL_CHARS_MIN = 6;
const SYMBOL_CHARS_MAX = 60;
const HASH_CHARS_MIN = 7;
const HASH_CHARS_MAX = 40;
const PATH_CHARS_MIN = 6;
const EXTENSION_CHARS_MAX = 8;
const INTEGER_DIGITS_MIN = 4;
const DECIMALS_MIN = 2;

/** What a word is; packed with its end into one number, because a transcript holds a hundred thousand of them. */
export const PLAIN = 0;
const SYMBOL = 1;
export const HASH = 2;

export const wordEnd = (word: number): number => word >> 2;
export const wordForm = (word: number): number => word & 3;

/** The word that opens at `start`: its end and its form. */
export function readWord(text: string, start: number, limit: number): number {
  const first = classAt(text, start);
  let [at, later] = [start + 1, 0];
  for (let one = 0; at < limit && ((one = classAt(text, at)) & WORD) !== 0; at++) later |= one;
  return (at << 2) | formOf(text, { start, end: at }, first, later);
}

/** The form of a word, given the class of its first character and those of the others together. */
export function formOf(text: string, { start, end }: Range, first: number, later: number): number {
  const seen = first | later;
  const length = end - start;
  if (seen === (LOWER | DIGIT) && length >= HASH_CHARS_MIN && length <= HASH_CHARS_MAX) return HASH;
  if ((seen & WIDE) !== 0 || length < SYMBOL_CHARS_MIN || length > SYMBOL_CHARS_MAX) return PLAIN;
  if ((seen & UNDERSCORE) !== 0) return isSnake(text, start, end) ? SYMBOL : PLAIN;
  return (later & UPPER) !== 0 && camelOpens(text, start) ? SYMBOL : PLAIN;
}

/** Single underscores, and none at either end. */
function isSnake(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(start) === UNDERSCORE_CODE || text.charCodeAt(end - 1) === UNDERSCORE_CODE) return false;
  let before = false;
  for (let at = start + 1; at < end; at++) {
    const one = text.charCodeAt(at) === UNDERSCORE_CODE;
    if (one && before) return false;
    before = one;
  }
  return true;
}

/** `fooBar` and `FooBar` are names; `HTTPServer` counts as an abbreviation. */
function camelOpens(text: string, start: number): boolean {
  return classAt(text, start) !== UPPER || (classAt(text, start + 1) & (LOWER | DIGIT)) !== 0;
}

/** The end of the number that opens at a digit; -1 where a word goes on or the number says too little. A year says too little. */
export function numberEnd(text: string, start: number, { start: from, end }: Range): number {
  if (start > from && (classAt(text, start - 1) & (WORD | DOT)) !== 0) return -1;
  let at = digitsEnd(text, start, end);
  const digits = at - start;
  if (at < end && text.charCodeAt(at) === DOT_CODE) {
    const decimals = digitsEnd(text, at + 1, end) - (at + 1);
    if (decimals < DECIMALS_MIN) return -1;
    at += 1 + decimals;
  } else if (digits < INTEGER_DIGITS_MIN || isYear(text, start, digits)) return -1;
  return at < end && (classAt(text, at) & (WORD | DOT)) !== 0 ? -1 : at;
}

function digitsEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && classAt(text, at) === DIGIT) at++;
  return at;
}

function isYear(text: string, start: number, digits: number): boolean {
  return digits === 4 && (text.startsWith("19", start) || text.startsWith("20", start));
}

/** Where the path ends that opens a run of path characters; the run's start where none does. */
export function pathEnd(text: string, { start, end }: Range): number {
  let slash = lastOf(SLASH_CODE, text, start, end - 1);
  while (slash >= start && !opensName(text, slash + 1)) slash = lastOf(SLASH_CODE, text, start, slash);
  if (slash < start) return start;
  let at = slash + 1;
  while (at < end && opensName(text, at)) at++;
  return at;
}

function opensName(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code !== TILDE && code !== SLASH_CODE;
}

/** A path's last two components, if it is one of a file or goes three deep. */
export function pathName(text: string, path: Range): { readonly parent: Range; readonly last: Range } | undefined {
  const end = trimmedEnd(text, path, ".");
  if (codePoints(text, path.start, end) < PATH_CHARS_MIN) return undefined;
  const last = nameBefore(text, path.start, end);
  const parent = last && nameBefore(text, path.start, last.start);
  if (last === undefined || parent === undefined) return undefined;
  const known = hasExtension(text, last) || nameBefore(text, path.start, parent.start) !== undefined;
  return known ? { parent, last } : undefined;
}

/** The last component that names something (not `.`, `..`, `~` or nothing) before a place. */
function nameBefore(text: string, from: number, before: number): Range | undefined {
  let end = before;
  while (end > from) {
    const start = lastOf(SLASH_CODE, text, from, end) + 1;
    if (end > start && !isPlaceholder(text, start, end)) return { start, end };
    end = start - 1;
  }
  return undefined;
}

function isPlaceholder(text: string, start: number, end: number): boolean {
  const dotted = text.charCodeAt(start) === DOT_CODE;
  if (end - start === 1) return dotted || text.charCodeAt(start) === TILDE;
  return end - start === 2 && dotted && text.charCodeAt(start + 1) === DOT_CODE;
}

function hasExtension(text: string, name: Range): boolean {
  const dot = lastOf(DOT_CODE, text, name.start, name.end);
  if (dot < name.start || dot + 1 >= name.end) return false;
  if (codePoints(text, dot + 1, name.end) > EXTENSION_CHARS_MAX) return false;
  if ((classAt(text, dot + 1) & (LOWER | UPPER)) === 0) return false;
  for (let at = dot + 2; at < name.end; at++) if ((classAt(text, at) & WORD) === 0) return false;
  return true;
}

/** Where `http` or `https` opens before a colon that two slashes follow and something after them; -1 where none does. */
export function urlStart(text: string, from: number, colon: number): number {
  if (!text.startsWith("//", colon + 1) || colon + 3 >= text.length || endsUrl(text.charCodeAt(colon + 3))) return -1;
  if (colon - 5 >= from && text.startsWith("https", colon - 5)) return colon - 5;
  return colon - 4 >= from && text.startsWith("http", colon - 4) ? colon - 4 : -1;
}

export function urlEnd(text: string, colon: number): number {
  let at = colon + 3;
  while (at < text.length && !endsUrl(text.charCodeAt(at))) at++;
  return at;
}

const URL_STOPS = new Set(
  Array.from("\"'<>)]\\`\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000", (stop) => stop.charCodeAt(0)),
);

function endsUrl(code: number): boolean {
  if (code <= 0x20) return (code >= 0x09 && code <= 0x0d) || code >= 0x1c;
  return URL_STOPS.has(code) || (code >= 0x2000 && code <= 0x200a);
}

/** A range's end without the punctuation of the sentence around it. */
export function trimmedEnd(text: string, { start, end }: Range, trail: string): number {
  let at = end;
  while (at > start && trail.includes(text.charAt(at - 1))) at--;
  return at;
}
