/**
 * The forms of identifiers, which are what an agent asks for by name: what makes a word a symbol or a hash, where a
 * path or a URL ends and which part of it is its name. Every function looks at its own range only.
 */
import {
  CLASS_OF,
  codePoints,
  DIGIT,
  DOT,
  DOT_CODE,
  ENDS_URL,
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

const classAt = (bytes: Uint8Array, at: number): number => CLASS_OF[bytes[at]!]!;

/** The word that opens at `start`: its end and its form. */
export function readWord(bytes: Uint8Array, start: number, limit: number): number {
  let at = start + 1;
  let later = 0;
  for (let one = 0; at < limit && ((one = classAt(bytes, at)) & WORD) !== 0; at++) later |= one;
  return (at << 2) | formOf(bytes, start, at, later);
}

/** The form of a word, given the classes of all its characters but the first together. */
export function formOf(bytes: Uint8Array, start: number, end: number, later: number): number {
  const first = classAt(bytes, start);
  const seen = first | later;
  const length = end - start;
  if (seen === (LOWER | DIGIT) && length >= HASH_CHARS_MIN && length <= HASH_CHARS_MAX) return HASH;
  if ((seen & WIDE) !== 0 || length < SYMBOL_CHARS_MIN || length > SYMBOL_CHARS_MAX) return PLAIN;
  if ((seen & UNDERSCORE) !== 0) return isSnake(bytes, start, end) ? SYMBOL : PLAIN;
  return (later & UPPER) !== 0 && camelOpens(bytes, start) ? SYMBOL : PLAIN;
}

/** Single underscores, and none at either end. */
function isSnake(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start] === UNDERSCORE_CODE || bytes[end - 1] === UNDERSCORE_CODE) return false;
  let before = false;
  for (let at = start + 1; at < end; at++) {
    const one = bytes[at] === UNDERSCORE_CODE;
    if (one && before) return false;
    before = one;
  }
  return true;
}

/** `fooBar` and `FooBar` are names; `HTTPServer` counts as an abbreviation. */
function camelOpens(bytes: Uint8Array, start: number): boolean {
  return classAt(bytes, start) !== UPPER || (classAt(bytes, start + 1) & (LOWER | DIGIT)) !== 0;
}

/** The end of the number that opens at a digit; -1 where a word goes on or the number says too little. A year says too little. */
export function numberEnd(bytes: Uint8Array, start: number, from: number, end: number): number {
  if (start > from && (classAt(bytes, start - 1) & (WORD | DOT)) !== 0) return -1;
  let at = digitsEnd(bytes, start, end);
  const digits = at - start;
  if (at < end && bytes[at] === DOT_CODE) {
    const decimals = digitsEnd(bytes, at + 1, end) - (at + 1);
    if (decimals < DECIMALS_MIN) return -1;
    at += 1 + decimals;
  } else if (digits < INTEGER_DIGITS_MIN || isYear(bytes, start, digits)) return -1;
  return at < end && (classAt(bytes, at) & (WORD | DOT)) !== 0 ? -1 : at;
}

function digitsEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && classAt(bytes, at) === DIGIT) at++;
  return at;
}

const [ZERO, ONE, TWO, NINE] = [0x30, 0x31, 0x32, 0x39];

/** 1900 to 2099. */
function isYear(bytes: Uint8Array, start: number, digits: number): boolean {
  if (digits !== 4) return false;
  const first = bytes[start];
  const second = bytes[start + 1];
  return (first === ONE && second === NINE) || (first === TWO && second === ZERO);
}

/** Where the path ends that opens a run of path characters; the run's start where none does. */
export function pathEnd(bytes: Uint8Array, start: number, end: number): number {
  let slash = lastOf(SLASH_CODE, bytes, start, end - 1);
  while (slash >= start && !opensName(bytes, slash + 1)) slash = lastOf(SLASH_CODE, bytes, start, slash);
  if (slash < start) return start;
  let at = slash + 1;
  while (at < end && opensName(bytes, at)) at++;
  return at;
}

function opensName(bytes: Uint8Array, at: number): boolean {
  const code = bytes[at];
  return code !== TILDE && code !== SLASH_CODE;
}

/** What a path goes by: its last two components. */
export interface PathName {
  readonly parent: Range;
  readonly last: Range;
}

/** A path's last two components, if it is one of a file or goes three deep. */
export function pathName(bytes: Uint8Array, start: number, pathEnds: number): PathName | undefined {
  let end = pathEnds;
  while (end > start && bytes[end - 1] === DOT_CODE) end--;
  if (codePoints(bytes, start, end) < PATH_CHARS_MIN) return undefined;
  const last = nameBefore(bytes, start, end);
  const parent = last && nameBefore(bytes, start, last.start);
  if (last === undefined || parent === undefined) return undefined;
  const known = hasExtension(bytes, last) || nameBefore(bytes, start, parent.start) !== undefined;
  return known ? { parent, last } : undefined;
}

/** The last component that names something (not `.`, `..`, `~` or nothing) before a place. */
function nameBefore(bytes: Uint8Array, from: number, before: number): Range | undefined {
  let end = before;
  while (end > from) {
    const start = lastOf(SLASH_CODE, bytes, from, end) + 1;
    if (end > start && !isPlaceholder(bytes, start, end)) return { start, end };
    end = start - 1;
  }
  return undefined;
}

function isPlaceholder(bytes: Uint8Array, start: number, end: number): boolean {
  const dotted = bytes[start] === DOT_CODE;
  if (end - start === 1) return dotted || bytes[start] === TILDE;
  return end - start === 2 && dotted && bytes[start + 1] === DOT_CODE;
}

function hasExtension(bytes: Uint8Array, name: Range): boolean {
  const dot = lastOf(DOT_CODE, bytes, name.start, name.end);
  if (dot < name.start || dot + 1 >= name.end) return false;
  if (codePoints(bytes, dot + 1, name.end) > EXTENSION_CHARS_MAX) return false;
  if ((classAt(bytes, dot + 1) & (LOWER | UPPER)) === 0) return false;
  for (let at = dot + 2; at < name.end; at++) if ((classAt(bytes, at) & WORD) === 0) return false;
  return true;
}

/** Where `http` or `https` opens before a colon that two slashes follow and something after them; -1 where none does. */
export function urlStart(bytes: Uint8Array, from: number, colon: number, limit: number): number {
  if (colon + 3 >= limit || bytes[colon + 1] !== SLASH_CODE || bytes[colon + 2] !== SLASH_CODE) return -1;
  if (ENDS_URL[bytes[colon + 3]!] === 1) return -1;
  if (colon - 5 >= from && spells(HTTPS, bytes, colon - 5)) return colon - 5;
  return colon - 4 >= from && spells(HTTP, bytes, colon - 4) ? colon - 4 : -1;
}

const lettersOf = (word: string): readonly number[] => Array.from(word, (letter) => letter.charCodeAt(0));
const HTTP = lettersOf("http");
const HTTPS = lettersOf("https");

function spells(letters: readonly number[], bytes: Uint8Array, start: number): boolean {
  return letters.every((letter, at) => bytes[start + at] === letter);
}

export function urlEnd(bytes: Uint8Array, colon: number, limit: number): number {
  let at = colon + 3;
  while (at < limit && ENDS_URL[bytes[at]!] === 0) at++;
  return at;
}
