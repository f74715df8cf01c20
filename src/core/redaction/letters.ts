/**
 * Which letters stand in a row in a text, by threes: one walk over it says of most words that they are not in it, so that no pattern
 * with one of them is tried. Capitals count as small letters.
 */

export interface Letters {
  /** Whether a word of at least three characters may be in the text; false where it is not, in capitals or small letters. */
  readonly mayHave: (word: string) => boolean;
  /** Whether there is a letter that is not one of ASCII's. */
  readonly hasWide: boolean;
}

const CLASS_BITS = 5;
const TRIPLES = 1 << (3 * CLASS_BITS);
const [OTHER, DIGIT, SPACE, DASH, SYMBOL, WIDE] = [0, 27, 28, 29, 30, 31];
const CLASS_OF = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(65_536).fill(WIDE);
  table.fill(OTHER, 0, 0x80);
  // Signs and halves of pairs: arrows, frames, pictures.
  for (const [from, end] of [
    [0x80, 0xc0],
    [0x2000, 0x2c00],
    [0xd800, 0xe000],
  ] as const)
    table.fill(SYMBOL, from, end);
  for (let at = 0; at < 26; at++) table[65 + at] = table[97 + at] = at + 1;
  for (const digit of "0123456789") table[digit.charCodeAt(0)] = DIGIT;
  table[" ".charCodeAt(0)] = SPACE;
  table["-".charCodeAt(0)] = DASH;
  return table;
}

/** Of the text that was read last: for each three characters, whether it has them. */
const triples = new Uint8Array(TRIPLES);
let readings = 0;

export function lettersOf(text: string): Letters {
  triples.fill(0);
  const reading = ++readings;
  let triple = 0;
  let classes = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = CLASS_OF[text.charCodeAt(at)]!;
    classes |= 1 << kind;
    triple = ((triple << CLASS_BITS) | kind) & (TRIPLES - 1);
    triples[triple] = 1;
  }
  const hasWide = classes >>> WIDE === 1;
  // What another text has overwritten is not known any more, and may be.
  return { mayHave: (word) => reading !== readings || hasTriplesOf(word), hasWide };
}

function hasTriplesOf(word: string): boolean {
  let triple = 0;
  for (let at = 0; at < word.length; at++) {
    triple = ((triple << CLASS_BITS) | CLASS_OF[word.charCodeAt(at)]!) & (TRIPLES - 1);
    if (at >= 2 && triples[triple] === 0) return false;
  }
  return true;
}
