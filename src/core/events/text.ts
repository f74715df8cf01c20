/** Texts cut where they may be cut: between words, sentences and lines, in any script; and what two of them have in common. */
import { keptByText } from "../kept.ts";

/** At most that many characters, never cut within a word: half a secret is not known for one. */
export function wholeWords(text: string, charsMax: number): string {
  const cut = text.slice(0, charsMax);
  return /[!-~]/.test(text.charAt(charsMax)) ? cut.replace(/(?<![!-~])[!-~]+$/, "") : cut;
}

let sentences: Intl.Segmenter | undefined;
let words: Intl.Segmenter | undefined;

/**
 * The sentences of a line, each with the white space that follows it. The segmenter knows neither abbreviations, in whatever locale,
 * nor brackets: where it ends a sentence at one or within the other, it goes on.
 */
export function sentencesOf(line: string): readonly string[] {
  sentences ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const isEnclosed = enclosedIn(line);
  const found: string[] = [];
  let start = 0;
  for (const { segment, index } of sentences.segment(line)) {
    const end = index + segment.length - (OPENING_END.exec(segment)?.[0].length ?? 0);
    if (end < line.length && (end <= start || isEnclosed(end) || endsShort(segment, line.charAt(end)))) continue;
    found.push(line.slice(start, end));
    start = end;
  }
  return found;
}

/** Marks that belong to the next sentence: Japanese puts no space before them. */
const OPENING_END = /[\p{Ps}\p{Pi}]{1,4}$/u;
/** A short word, a letter or a number, and the point behind it. */
const SHORT_END = /(?:^|[\s\p{Ps}\p{Pi}"])(\p{L}{1,3}|\p{Nd}{1,2})\.$/u;
const SHORT_END_CHARS = 6;
const NUMBER_OR_LETTER = /^(?:\p{Nd}+|\p{L})$/u;
const WITHOUT_VOWEL = /^\p{Lu}?[bcdfghjklmnpqrstvwxzбвгджзклмнпрстфхцчшщ]+$/u;
const CAPITALISED = /^\p{Lu}\p{Ll}+$/u;

/** Whether the point behind a sentence is that of "3.", "z. B.", "Dr.", "Nr. 5", or, behind other words, "La Sra.". */
function endsShort(segment: string, next: string): boolean {
  const sentence = segment.trim();
  const word = SHORT_END.exec(sentence.slice(-SHORT_END_CHARS))?.[1];
  if (word === undefined) return false;
  if (NUMBER_OR_LETTER.test(word) || WITHOUT_VOWEL.test(word) || /\p{Nd}/u.test(next)) return true;
  return CAPITALISED.test(word) && sentence.length > word.length + 1;
}

/** What closes what opens; a quotation mark of ASCII opens behind a space and closes before one. */
const CLOSING = new Map(
  ["()", "[]", "（）", "「」", "『』", "«»", "„“", "“”", '""'].map(([open, close]) => [open!, close!]),
);
const CLOSERS = new Set(CLOSING.values());
const ENCLOSING = /[()[\]（）「」『』«»„“”]|(?<![^\s(])"|"(?![\p{L}\p{N}])/gu;
/** What closes later does not belong to it. */
const ENCLOSED_CHARS_MAX = 300;

/** Whether a place is between two marks that belong together; asked from the beginning to the end. */
function enclosedIn(line: string): (at: number) => boolean {
  const pairs: { readonly open: number; readonly close: number }[] = [];
  const open: { readonly at: number; readonly closing: string }[] = [];
  for (const { 0: mark, index } of line.matchAll(ENCLOSING)) {
    while (open.length > 0 && index - open[0]!.at > ENCLOSED_CHARS_MAX) open.shift();
    const own = CLOSERS.has(mark) ? open.findLastIndex(({ closing }) => closing === mark) : -1;
    if (own >= 0) pairs.push({ open: open[own]!.at, close: index });
    if (own >= 0) open.length = own;
    else if (CLOSING.has(mark)) open.push({ at: index, closing: CLOSING.get(mark)! });
  }
  pairs.sort((a, b) => a.open - b.open);
  let next = 0;
  let close = -1;
  return (at) => {
    for (; next < pairs.length && pairs[next]!.open < at; next++) close = Math.max(close, pairs[next]!.close);
    return close >= at;
  };
}

/** Where the last word of a text begins, also in a script that puts no space between words. */
export function lastWordAt(text: string): number {
  words ??= new Intl.Segmenter("en", { granularity: "word" });
  return words.segment(text).containing(text.length - 1)?.index ?? 0;
}

/** Characters of the texts that are remembered before it starts afresh. */
const REMEMBERED_CHARS_MAX = 1_000_000;

/** Equal for two texts that say the same but for case, marks and white space. */
export const keyOf = keptByText((text): string => {
  const key = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
  return key.trim() || text;
}, REMEMBERED_CHARS_MAX);

export const MARKS_ONLY = /^[^\p{L}\p{N}]*$/u;
/** Eight short words; a character of Chinese, Japanese or Korean says as much as three letters. */
const CONTENT_MIN = 32;
const WIDE_FROM = 0x2e80;
const WIDE_WEIGHT = 3;

/** Whether a text is too short to mean something without what it answers. */
export function saysLittle(text: string): boolean {
  let content = 0;
  for (const char of text) {
    if (char < "0") continue;
    if (isPlainWord(char) || !MARKS_ONLY.test(char)) content += char.codePointAt(0)! >= WIDE_FROM ? WIDE_WEIGHT : 1;
    if (content >= CONTENT_MIN) return false;
  }
  return true;
}

/** Letters and digits of ASCII, which most are, without a look at the alphabets. */
function isPlainWord(char: string): boolean {
  return (char >= "a" && char <= "z") || (char >= "A" && char <= "Z") || (char >= "0" && char <= "9");
}

/** Four characters in a row, as one of so many figures: a text with one that another does not have is not in that one. */
const GRAM_CHARS = 4;
const GRAMS = 65_536;

/** The gram that ends at that place: a fifth character shifts the first one out. */
function gramAfter(before: number, text: string, at: number): number {
  return ((before << 4) ^ text.charCodeAt(at)) % GRAMS;
}

export function gramsIn(text: string): Uint16Array {
  const grams = new Uint16Array(text.length);
  for (let at = 0, gram = 0; at < text.length; at++) grams[at] = gram = gramAfter(gram, text, at);
  return grams;
}

/** Whether a text may be in those that have these grams: most that are not are not searched for. */
export function mayBeIn(known: readonly Uint16Array[]): (text: string) => boolean {
  const grams = new Uint8Array(GRAMS);
  for (const own of known) for (let at = 0; at < own.length; at++) grams[own[at]!] = 1;
  return (text) => {
    for (let at = 0, gram = 0; at < text.length; at++) {
      gram = gramAfter(gram, text, at);
      if (at + 1 >= GRAM_CHARS && grams[gram] === 0) return false;
    }
    return true;
  };
}
