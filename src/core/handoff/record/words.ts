/** The words by which a sentence is compared with others: as numbers, since nobody reads them. */

/** The words of a text, and a bit for each of them in one of two masks: words share bits. */
export interface Words {
  /** Each once, in ascending order. */
  readonly all: readonly number[];
  readonly low: number;
  readonly high: number;
}

/** Letters, digits and `_./-`; a single one is no word. */
const COMPARED = /[\p{L}\p{N}_./-]{2,}/gu;
export const BEYOND_ASCII = /[^\0-\x7f]/;
const ASCII_CODES = 128;
/** The same signs of ASCII, in lower case; 0 for all others. */
const FOLDED = Uint8Array.from({ length: ASCII_CODES }, (_, code) =>
  /[\w./-]/.test(String.fromCharCode(code)) ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0,
);

export function wordsOf(text: string): Words {
  const all = sorted(asciiWords(text) ?? (text.toLowerCase().match(COMPARED) ?? []).map(numberOf));
  let low = 0;
  let high = 0;
  for (const word of all) {
    if ((word & MASK_BIT) === 0) low |= 1 << (word >>> MASK_SHIFT);
    else high |= 1 << (word >>> MASK_SHIFT);
  }
  return { all, low, high };
}

const MASK_SHIFT = 27;
const MASK_BIT = 1 << 26;

/** Nothing where the text is not all ASCII: other letters are told from signs by a pattern, several times slower. */
function asciiWords(text: string): number[] | undefined {
  const words: number[] = [];
  let length = 0;
  let number = SEED;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= ASCII_CODES) return undefined;
    const folded = FOLDED[code]!;
    if (folded !== 0) {
      number = mixed(number, folded);
      length++;
    } else if (length > 0) {
      if (length > 1) words.push(number);
      length = 0;
      number = SEED;
    }
  }
  if (length > 1) words.push(number);
  return words;
}

function numberOf(word: string): number {
  let number = SEED;
  for (let at = 0; at < word.length; at++) number = mixed(number, word.charCodeAt(at));
  return number;
}

/** FNV-1a. */
const SEED = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

function mixed(number: number, code: number): number {
  return Math.imul(number ^ code, PRIME);
}

/** In place. Most texts have a few dozen words. */
function sorted(words: number[]): readonly number[] {
  if (words.length > INSERTED_MAX) return [...new Set(words)].sort((a, b) => a - b);
  let count = 0;
  for (const word of words) {
    let at = count;
    while (at > 0 && words[at - 1]! > word) at--;
    if (at > 0 && words[at - 1] === word) continue;
    for (let later = count++; later > at; later--) words[later] = words[later - 1]!;
    words[at] = word;
  }
  words.length = count;
  return words;
}

const INSERTED_MAX = 60;
