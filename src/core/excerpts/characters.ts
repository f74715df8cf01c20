/**
 * A text as identifiers are looked for in it: one byte for each UTF-16 code unit. ASCII stays as it is, everything else
 * by what it is to an identifier. Bytes are read several times as fast as a string, and each is read more than once.
 */
import { ASCII_CHARS_MIN, asciiInto } from "../transcript/ascii.ts";
import { codeAt } from "../transcript/code-units.ts";

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
/** The characters of a word. */
export const WORD = LOWER | UPPER | DIGIT | UNDERSCORE | WIDE;

export const LINE_BREAK = 0x0a;
export const DOT_CODE = 0x2e;
export const SLASH_CODE = 0x2f;
export const COLON = 0x3a;
export const UNDERSCORE_CODE = 0x5f;
export const BACKTICK = 0x60;
export const TILDE = 0x7e;

/** What stands for a code unit outside ASCII. Both halves of a pair count as what the pair is. */
const ASCII_END = 0x80;
const WIDE_CODE = 0x80;
const WIDE_SECOND_HALF = 0x81;
const CHINESE_CODE = 0x82;
const WIDE_SPACE = 0x83;
const OTHER_CODE = 0x84;

/** The class of each byte, one bit a kind: 0 for one that no identifier holds. */
export const CLASS_OF = classTable();

function classTable(): Uint16Array {
  const table = new Uint16Array(256);
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
  for (const code of [WIDE_CODE, WIDE_SECOND_HALF, CHINESE_CODE]) table[code] = WIDE;
  return table;
}

/** 1 for the bytes that no URL holds: white space, and what a URL is put in. */
export const ENDS_URL = urlEndTable();

function urlEndTable(): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(1, 0x09, 0x0e).fill(1, 0x1c, 0x21);
  for (const stop of "\"'<>)]\\`") table[stop.charCodeAt(0)] = 1;
  table[WIDE_SPACE] = 1;
  return table;
}

/** Longer texts are rare; their bytes are not kept. */
const KEPT_CHARS_MAX = 1 << 20;
/** That many at a time are copied, as long as they are ASCII. */
const PIECE_CHARS = 2048;
let kept = new Uint8Array(PIECE_CHARS);

/** The bytes of a range, and a zero behind them. Good until the next call: thousands are read, and their memory is one. */
export function bytesOf(text: string, start: number, end: number): Uint8Array {
  const bytes = roomFor(end - start + 1);
  let from = start;
  while (from < end && isCopied(text, from, end, from === start ? bytes : bytes.subarray(from - start)))
    from = Math.min(end, from + PIECE_CHARS);
  for (let at = from; at < end; at++) {
    const code = codeAt(text, at);
    bytes[at - start] = code < ASCII_END ? code : wideCode(text, at, code);
  }
  bytes[end - start] = 0;
  return bytes;
}

function roomFor(size: number): Uint8Array<ArrayBuffer> {
  if (size <= kept.length) return kept;
  if (size > KEPT_CHARS_MAX) return new Uint8Array(size);
  return (kept = new Uint8Array(Math.min(KEPT_CHARS_MAX, 2 * size)));
}

/** Copies the next piece, where it is long enough and ASCII. */
function isCopied(text: string, from: number, end: number, bytes: Uint8Array<ArrayBuffer>): boolean {
  const until = Math.min(end, from + PIECE_CHARS);
  return until - from >= ASCII_CHARS_MIN && asciiInto(text.slice(from, until), bytes);
}

const LETTER_OR_NUMBER = /[\p{L}\p{N}]/u;

function wideCode(text: string, at: number, code: number): number {
  if (isWideSpace(code)) return WIDE_SPACE;
  // Dashes and quotes, what tools draw with (arrows, mathematics, boxes, shapes), and Chinese: most of what is not ASCII.
  if (code >= 0x2000 && code <= 0x206f) return OTHER_CODE;
  if (code >= 0x2190 && code <= 0x245f) return OTHER_CODE;
  if (code >= 0x2500 && code <= 0x2775) return OTHER_CODE;
  if (code >= 0x4e00 && code <= 0x9fff) return CHINESE_CODE;
  const second = code >= 0xdc00 && code <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1));
  const character = String.fromCodePoint(text.codePointAt(second ? at - 1 : at)!);
  if (!LETTER_OR_NUMBER.test(character)) return OTHER_CODE;
  return second ? WIDE_SECOND_HALF : WIDE_CODE;
}

function isWideSpace(code: number): boolean {
  if (code >= 0x2000 && code <= 0x205f)
    return code <= 0x200a || code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f;
  return code === 0x85 || code === 0xa0 || code === 0x1680 || code === 0x3000;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Length of a range in code points. */
export function codePoints(bytes: Uint8Array, start: number, end: number): number {
  let count = end - start;
  for (let at = start + 1; at < end; at++) if (bytes[at] === WIDE_SECOND_HALF) count--;
  return count;
}

/** The last place of a byte in `[from, before)`, or `from - 1`: unlike `lastIndexOf`, it never looks further back. */
export function lastOf(code: number, bytes: Uint8Array, from: number, before: number): number {
  let at = before - 1;
  while (at >= from && bytes[at] !== code) at--;
  return at;
}

const WORD_CHARS_MIN = 3;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const LOWER_S = 0x73;
const SLOTS = 1 << 16;

/** Visits the slots of the words in a text, in order: letters and digits in lower case, camel case taken apart, a plural s dropped. */
function eachWord(text: string, visit: (slot: number) => void): void {
  const { length: end } = text;
  let at = 0;
  while (at < end) {
    let hash = FNV_OFFSET;
    let before = FNV_OFFSET;
    let last = 0;
    let length = 0;
    let digits = 0;
    let wasLower = false;
    for (; at < end; at++) {
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
  /** How often its words are in the texts together. */
  readonly bag: (texts: readonly string[]) => WordBag;
}

/** Texts whose words are remembered. */
const TEXTS_MAX = 64;

export function createVocabulary(): Vocabulary {
  const numbers = new Map<number, number>();
  const numberOf = (slot: number): number => {
    let number = numbers.get(slot);
    if (number === undefined) numbers.set(slot, (number = numbers.size));
    return number;
  };
  /** The slots of the words in texts: the request and most of the replies are asked for again with the next message. */
  let known = new Map<string, Uint16Array>();
  const slotsOf = (text: string): Uint16Array => {
    let slots = known.get(text);
    if (slots === undefined) {
      const found: number[] = [];
      eachWord(text, (slot) => void found.push(slot));
      if (known.size >= TEXTS_MAX) known = new Map();
      known.set(text, (slots = Uint16Array.from(found)));
    }
    return slots;
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
      for (const text of texts)
        for (const slot of slotsOf(text)) {
          const word = numbers.get(slot);
          if (word !== undefined && counts[word]! < COUNT_MAX) counts[word]!++;
        }
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
