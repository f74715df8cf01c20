/**
 * How much of a text stands in no other: where not all fits, "go on", a question asked again and the tenth report of the same go before a
 * text with words of its own. Words are counted, never understood.
 */
import { createCounter } from "./counted.ts";

/** More of a text is not counted. */
const COUNTED_CHARS_MAX = 4_000;
/** A text costs its reader that many characters beside its own. */
const MARGIN_CHARS = 16;
/** Characters of the texts that are remembered before it starts afresh. */
const REMEMBERED_CHARS_MAX = 2_000_000;

const count = createCounter(wordsIn, REMEMBERED_CHARS_MAX);

/** What each text tells that the others do not, a character, beside what they tell on average: 1 is as much as they do. */
export function noveltiesAmong(texts: readonly string[]): readonly number[] {
  const { pieces, counts } = count(texts);
  const densities = pieces.map((own, at) => {
    let density = 0;
    for (const word of own) density += 1 / counts[word]!;
    return density / (Math.min(COUNTED_CHARS_MAX, texts[at]!.length) + MARGIN_CHARS);
  });
  const mean = densities.reduce((sum, density) => sum + density, 0) / texts.length;
  return densities.map((density) => density / (mean || 1));
}

/** Words; figures count as the same figure. Of a script that puts no space between words, each two neighbours. */
const WORD =
  /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]+)|(?:(?!\p{sc=Han}|\p{sc=Hira}|\p{sc=Kana}|\p{sc=Thai})[\p{L}\p{M}\p{N}_])+/gu;
const PLAIN_WORD = /\w+/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;

function wordsIn(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  const compared = text.slice(0, COUNTED_CHARS_MAX).toLowerCase().replace(/\d+/g, "0");
  if (!BEYOND_ASCII.test(compared)) return new Set(compared.match(PLAIN_WORD));
  for (const [word, unspaced] of compared.matchAll(WORD)) {
    if (unspaced === undefined) words.add(word);
    else for (let at = 0; at + 1 < unspaced.length; at++) words.add(unspaced.slice(at, at + 2));
  }
  return words;
}
