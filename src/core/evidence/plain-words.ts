/** Plain words: what a reader can make sense of beside the identifiers. Letters in runs of four, or two of Chinese. */
import { bytesOf, CHINESE_CODE, CLASS_OF, COLON, LOWER, LOWER_LETTERS, SLASH, UPPER, WORD } from "./characters.ts";
import { pathEnd, PLAIN, readWord, urlEnd, urlStart, wordEnd, wordForm, type Range } from "./names.ts";

const LETTERS_MIN = 4;
const CHINESE_MIN = 2;

/**
 * The runs of a range: stretches of characters that identifiers are made of, and the plain words in them. Parallel
 * arrays: the words of run n are those from `firsts[n]` up to `firsts[n + 1]`.
 */
export interface Runs {
  readonly count: number;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly firsts: readonly number[];
  readonly wordStarts: readonly number[];
  readonly wordEnds: readonly number[];
}

interface Found extends Runs {
  count: number;
  words: number;
  /** Where the range begins in its text. */
  offset: number;
  readonly starts: number[];
  readonly ends: number[];
  readonly firsts: number[];
  readonly wordStarts: number[];
  readonly wordEnds: number[];
}

/**
 * Reads the runs of ranges, each as if it stood alone. What one call answers is good until the next: tens of thousands
 * of ranges are read, and their memory is one.
 */
export function createRunReader(): (text: string, start: number, end: number) => Runs {
  const found: Found = {
    count: 0,
    words: 0,
    offset: 0,
    starts: [],
    ends: [],
    firsts: [0],
    wordStarts: [],
    wordEnds: [],
  };
  return (text, start, end) => {
    const bytes = bytesOf(text, start, end);
    const length = end - start;
    found.count = 0;
    found.words = 0;
    found.offset = start;
    let at = 0;
    while (at < length) {
      let seen = 0;
      const from = at;
      for (let one = 0; (one = CLASS_OF[bytes[at]!]!) !== 0; at++) seen |= one;
      if (at === from) {
        at++;
        continue;
      }
      const url = bytes[at] === COLON ? urlStart(bytes, from, at, length) : -1;
      const until = url < 0 ? at : url;
      // Most runs are one word in lower case.
      if ((seen & ~LOWER_LETTERS) === 0) addIfLong(found, from, until);
      else addWords(bytes, (seen & SLASH) === 0 ? from : pathEnd(bytes, from, until), until, found);
      if (url >= 0) at = urlEnd(bytes, at, length);
      found.starts[found.count] = start + from;
      found.ends[found.count] = start + at;
      found.firsts[++found.count] = found.words;
    }
    return found;
  };
}

function addWords(bytes: Uint8Array, start: number, end: number, found: Found): void {
  let at = start;
  while (at < end) {
    if ((CLASS_OF[bytes[at]!]! & WORD) === 0) {
      at++;
      continue;
    }
    const word = readWord(bytes, at, end);
    if (wordForm(word) === PLAIN) addLetters(bytes, at, wordEnd(word), found);
    at = wordEnd(word);
  }
}

/** Letters in a row, of one script: what stands in a word that is no identifier, digits and underscores taken out. */
function addLetters(bytes: Uint8Array, start: number, end: number, found: Found): void {
  let at = start;
  while (at < end) {
    const from = at;
    while (at < end && (CLASS_OF[bytes[at]!]! & (LOWER | UPPER)) !== 0) at++;
    const chinese = at;
    while (at < end && bytes[at] === CHINESE_CODE) at++;
    addIfLong(found, from, chinese);
    if (at - chinese >= CHINESE_MIN) addWord(found, chinese, at);
    if (at === from) at++;
  }
}

function addIfLong(found: Found, start: number, end: number): void {
  if (end - start >= LETTERS_MIN) addWord(found, start, end);
}

function addWord(found: Found, start: number, end: number): void {
  found.wordStarts[found.words] = found.offset + start;
  found.wordEnds[found.words++] = found.offset + end;
}

/** Whether two words of a text are the same, in whatever case. */
export function sameWord(text: string, one: Range, other: Range): boolean {
  const length = one.end - one.start;
  if (length !== other.end - other.start) return false;
  for (let at = 0; at < length; at++)
    if (folded(text.charCodeAt(one.start + at)) !== folded(text.charCodeAt(other.start + at))) return false;
  return true;
}

const CASE_BIT = 0x20;

/** A letter of ASCII in lower case. */
function folded(code: number): number {
  return code < 128 ? code | CASE_BIT : code;
}
