/** Reading a text at a place: the words of the scan, and patterns that must match right there. */

/** A run of letters, digits, `_` and `-`. */
export interface Word {
  readonly start: number;
  readonly end: number;
}

/** `pattern` is sticky: it matches at `at` or not at all, so a rule costs what it reads and never searches. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Where a match at `at` ends. */
export function endOfMatch(pattern: RegExp, text: string, at: number): number | undefined {
  const found = matchAt(pattern, text, at);
  return found === undefined ? undefined : at + found[0].length;
}

const LENGTHS = 16;
const ASCII_CODES = 128;

/** For each first letter of `words`, which begin in ASCII, a bit for each of their lengths below 16. */
export function lengthsByFirst(words: readonly string[]): Uint16Array {
  const lengths = new Uint16Array(ASCII_CODES);
  for (const word of words) lengths[word.charCodeAt(0)]! |= 1 << word.length;
  return lengths;
}

/** A look at a word without cutting it out: false where none of the words of `lengths` begins and ends like it. */
export function mayBeOneOf(lengths: Uint16Array, first: number, length: number): boolean {
  return length < LENGTHS && ((lengths[first]! >> length) & 1) === 1;
}

/** A sign that a rule may begin with, and the word before it. */
export interface Stop {
  readonly at: number;
  readonly word: Word;
  /** The text is source: what it assigns is spared, unless a machine made it. */
  readonly code: boolean;
}
