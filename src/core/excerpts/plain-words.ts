/** Words that are no part of a name: a line without them names things and says nothing about them. */
import type { Range } from "./identifiers.ts";

const PLAIN_WORD_CHARS_MIN = 3;
/** A line with so many says what its names are about. */
export const WORDS_ENOUGH = 3;

/** How many words are in it that are no part of a name, up to enough: they say what the names are about. */
export function plainWordsIn(text: string, { start, end }: Range): number {
  let words = 0;
  for (let at = start; at < end && words < WORDS_ENOUGH;) {
    const from = at;
    while (at < end && isLetter(text.charCodeAt(at))) at++;
    if (at === from) {
      at++;
      continue;
    }
    const isAlone = !joins(text.charCodeAt(from - 1)) && !joins(text.charCodeAt(at));
    if (isAlone && at - from >= PLAIN_WORD_CHARS_MIN && isLowerCase(text, from + 1, at)) words++;
  }
  return words;
}

/** Of any script. */
export function isLetter(code: number): boolean {
  return code > 0x7f || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** Digits, underscores, dots and slashes make a name of what they touch; a full stop may end a sentence. */
function joins(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2f;
}

function isLowerCase(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (text.charCodeAt(at) >= 0x41 && text.charCodeAt(at) <= 0x5a) return false;
  return true;
}
