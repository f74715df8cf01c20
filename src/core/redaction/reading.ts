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

/** A sign that a rule may begin with, and the word before it. */
export interface Stop {
  readonly at: number;
  readonly word: Word;
  /** The text is source: what it assigns is spared, unless a machine made it. */
  readonly code: boolean;
}
