/**
 * How much of a text stands in no other: where not all fits, "go on", a question asked again and the tenth report of the same go before a
 * text with words of its own. Words are counted, never understood.
 */

/** More of a text is not counted. */
const COUNTED_CHARS_MAX = 4_000;
/** A text costs its reader that many characters beside its own. */
const MARGIN_CHARS = 16;

/** What a text tells that the others do not, a character, beside what they tell on average: 1 is as much as they do. */
export function noveltyAmong(texts: readonly string[]): (text: string) => number {
  const words = new Map(texts.map((text) => [text, wordsIn(text)]));
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of words.get(text)!) counts.set(word, (counts.get(word) ?? 0) + 1);
  const density = (text: string): number => {
    let own = 0;
    for (const word of words.get(text) ?? wordsIn(text)) own += 1 / (counts.get(word) ?? 1);
    return own / (Math.min(COUNTED_CHARS_MAX, text.length) + MARGIN_CHARS);
  };
  const densities = new Map([...words.keys()].map((text) => [text, density(text)]));
  const mean = texts.reduce((sum, text) => sum + densities.get(text)!, 0) / texts.length;
  return (text) => (densities.get(text) ?? density(text)) / (mean || 1);
}

/** Words; figures count as the same figure. Of a script that puts no space between words, each two neighbours. */
const WORD =
  /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]+)|(?:(?!\p{sc=Han}|\p{sc=Hira}|\p{sc=Kana}|\p{sc=Thai})[\p{L}\p{M}\p{N}_])+/gu;

const PLAIN_WORD = /\w+/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;

export function wordsIn(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  const compared = text.slice(0, COUNTED_CHARS_MAX).toLowerCase().replace(/\d+/g, "0");
  if (!BEYOND_ASCII.test(compared)) return new Set(compared.match(PLAIN_WORD));
  for (const [word, unspaced] of compared.matchAll(WORD)) {
    if (unspaced === undefined) words.add(word);
    else for (let at = 0; at + 1 < unspaced.length; at++) words.add(unspaced.slice(at, at + 2));
  }
  return words;
}
