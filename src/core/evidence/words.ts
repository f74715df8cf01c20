/**
 * Names and requests compared by the words they are made of: `sessionState` meets "the state of the session". Words
 * are numbers here, a hash each, because a transcript holds a hundred thousand of them.
 */

const WORD_CHARS_MIN = 3;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const LOWER_S = 0x73;

/** Hands over the hash of every word in `text[from..to)`: letters and digits in lower case, camel case taken apart, a plural s dropped. */
export function eachWord(text: string, { from, to }: { from: number; to: number }, take: (hash: number) => void): void {
  let at = from;
  while (at < to) {
    let [hash, before, last, length, digits, wasLower] = [FNV_OFFSET, FNV_OFFSET, 0, 0, 0, false];
    for (; at < to; at++) {
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
    if (length >= WORD_CHARS_MIN && digits < length) take((stem ? before : hash) >>> 0);
  }
}

/** How often each word was seen. Two words may share a slot; with a few thousand words in it that is rare, and it only blurs a score. */
export interface WordBag {
  readonly add: (text: string) => void;
  readonly count: (hash: number) => number;
}

const SLOTS = 1 << 16;
const COUNT_MAX = 0xffff;

export function createWordBag(): WordBag {
  const slots = new Uint16Array(SLOTS);
  return {
    add: (text) =>
      eachWord(text, { from: 0, to: text.length }, (hash) => {
        const slot = slotOf(hash);
        if (slots[slot]! < COUNT_MAX) slots[slot]!++;
      }),
    count: (hash) => slots[slotOf(hash)]!,
  };
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (SLOTS - 1);
}
