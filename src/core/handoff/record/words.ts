/** The words by which a sentence is compared with others. */

/** The words of a text, and a bit for each word of the first and the second mask: words share bits. */
export interface Words {
  readonly all: ReadonlySet<string>;
  readonly low: number;
  readonly high: number;
}

export function wordsOf(text: string): Words {
  const all = wordsIn(text.toLowerCase());
  let [low, high] = [0, 0];
  for (const word of all) {
    const bit = 1 << (word.length * 7 + word.charCodeAt(0) * 3 + word.charCodeAt(word.length >> 1));
    if ((word.charCodeAt(word.length - 1) & 1) === 0) low |= bit;
    else high |= bit;
  }
  return { all, low, high };
}

/** Letters, digits and `_./-`. The Unicode pattern is several times slower, so it is used only for texts beyond ASCII. */
const COMPARED = /[\p{L}\p{N}_./-]{2,}/gu;
const COMPARED_ASCII = /[a-z0-9_./-]{2,}/g;
export const BEYOND_ASCII = /[^\0-\x7f]/;

function wordsIn(lower: string): ReadonlySet<string> {
  return new Set(lower.match(BEYOND_ASCII.test(lower) ? COMPARED : COMPARED_ASCII));
}
