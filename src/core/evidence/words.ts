/**
 * Names and requests compared by the words they are made of: `sessionState` meets "the state of the session". Words
 * are numbers here, a slot each, because a transcript holds a hundred thousand of them. Two words may share a slot;
 * with a few thousand words that is rare, and it only blurs a score.
 */

const WORD_CHARS_MIN = 3;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const LOWER_S = 0x73;
const SLOTS = 1 << 16;

/** Visits the slots of the words in a text, in order: letters and digits in lower case, camel case taken apart, a plural s dropped. */
function eachWord(text: string, visit: (slot: number) => void): void {
  let at = 0;
  while (at < text.length) {
    let hash = FNV_OFFSET;
    let before = FNV_OFFSET;
    let last = 0;
    let length = 0;
    let digits = 0;
    let wasLower = false;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const upper = code >= 0x41 && code <= 0x5a;
      const digit = code >= 0x30 && code <= 0x39;
      if (!upper && !digit && !(code >= 0x61 && code <= 0x7a)) break;
      if (upper && wasLower) break;
      wasLower = !upper;
      if (digit) digits++;
      last = upper ? code + 32 : code;
      before = hash;
      hash = Math.imul(hash ^ last, FNV_PRIME);
      length++;
    }
    if (length === 0) {
      at++;
      continue;
    }
    const stem = last === LOWER_S && length > WORD_CHARS_MIN;
    if (length >= WORD_CHARS_MIN && digits < length) visit(slotOf((stem ? before : hash) >>> 0));
  }
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}

/** The words that names are made of, numbered as they come: a conversation knows a few thousand. */
export interface Vocabulary {
  /** Adds the numbers of the words in a name to a list, each once: thousands of names share one. */
  readonly add: (name: string, to: number[]) => void;
  /** How often its words stand in the texts together. */
  readonly bag: (texts: readonly string[]) => WordBag;
}

export function createVocabulary(): Vocabulary {
  const numbers = new Map<number, number>();
  const numberOf = (slot: number): number => {
    let number = numbers.get(slot);
    if (number === undefined) numbers.set(slot, (number = numbers.size));
    return number;
  };
  return {
    add: (name, to) => {
      const from = to.length;
      eachWord(name, (slot) => {
        const word = numberOf(slot);
        if (!to.includes(word, from)) to.push(word);
      });
    },
    bag: (texts) => {
      const counts = new Uint8Array(numbers.size);
      const count = (slot: number): void => {
        const word = numbers.get(slot);
        if (word !== undefined && counts[word]! < COUNT_MAX) counts[word]!++;
      };
      for (const text of texts) eachWord(text, count);
      return counts;
    },
  };
}

/** For each word of a vocabulary: how often it was seen, up to `COUNT_MAX`. */
export type WordBag = Uint8Array;

const COUNT_MAX = 0xff;
/** What a count weighs: the logarithm of one more than it. */
export const COUNT_WEIGHTS: Float64Array = Float64Array.from({ length: COUNT_MAX + 1 }, (_, count) =>
  Math.log1p(count),
);
