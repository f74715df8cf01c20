/** What kind of character stands at a place of a text, as far as identifiers are concerned: one bit a class. */

export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
/** Letters and numbers outside ASCII. */
export const WIDE = 16;
export const DOT = 32;
export const SLASH = 64;
/** The other characters a path may hold: `@ + - ~`. */
export const MARK = 128;
/** Set beside `LOWER` for the letters that no hexadecimal number holds. */
const BEYOND_HEX = 256;
/** All bits that letters of ASCII in lower case have. */
export const LOWER_LETTERS = LOWER | BEYOND_HEX;
/** The characters of a word. */
export const WORD = LOWER | UPPER | DIGIT | UNDERSCORE | WIDE;

export const LINE_BREAK = 0x0a;
export const DOT_CODE = 0x2e;
export const SLASH_CODE = 0x2f;
export const COLON = 0x3a;
export const UNDERSCORE_CODE = 0x5f;
export const BACKTICK = 0x60;
export const TILDE = 0x7e;

const CLASSES = classTable();

function classTable(): Uint16Array {
  const table = new Uint16Array(128);
  const classify = (from: string, to: string, kind: number): void =>
    void table.fill(kind, from.charCodeAt(0), to.charCodeAt(0) + 1);
  classify("a", "f", LOWER);
  classify("g", "z", LOWER | BEYOND_HEX);
  classify("A", "Z", UPPER);
  classify("0", "9", DIGIT);
  classify("_", "_", UNDERSCORE);
  classify(".", ".", DOT);
  classify("/", "/", SLASH);
  for (const mark of "@+-~") classify(mark, mark, MARK);
  return table;
}

/** The class of the character at a place, 0 for one that no identifier holds. Both halves of a surrogate pair have its class. */
export function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? CLASSES[code]! : wideClass(text, at, code);
}

const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;

function wideClass(text: string, at: number, code: number): number {
  // Dashes and quotes, what tools draw with (arrows, mathematics, boxes, shapes), and Chinese: most of what is not ASCII.
  if (code >= 0x2000 && code <= 0x206f) return 0;
  if (code >= 0x2190 && code <= 0x245f) return 0;
  if (code >= 0x2500 && code <= 0x2775) return 0;
  if (code >= 0x4e00 && code <= 0x9fff) return WIDE;
  if (code >= 0xdc00 && code <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1)))
    return wideClass(text, at - 1, text.charCodeAt(at - 1));
  return LETTER_OR_NUMBER.test(String.fromCodePoint(text.codePointAt(at)!)) ? WIDE : 0;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Length of a range in code points. */
export function codePoints(text: string, start: number, end: number): number {
  let count = end - start;
  for (let at = start + 1; at < end; at++)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && isHighSurrogate(text.charCodeAt(at - 1))) count--;
  return count;
}

/** The last place of a character in `[from, before)`, or `from - 1`: unlike `lastIndexOf`, it never looks further back. */
export function lastOf(code: number, text: string, from: number, before: number): number {
  let at = before - 1;
  while (at >= from && text.charCodeAt(at) !== code) at--;
  return at;
}
