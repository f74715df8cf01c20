/** Texts cut where they may be cut: between words, sentences and lines, in any script. */

/** At most that many characters, never cut within a word: half a secret is not known for one. */
export function wholeWords(text: string, charsMax: number): string {
  const cut = text.slice(0, charsMax);
  return /[!-~]/.test(text.charAt(charsMax)) ? cut.replace(/(?<![!-~])[!-~]+$/, "") : cut;
}

let sentences: Intl.Segmenter | undefined;
let words: Intl.Segmenter | undefined;

/** The sentences of a line, each with the white space that follows it. */
export function sentencesOf(line: string): readonly string[] {
  sentences ??= new Intl.Segmenter(undefined, { granularity: "sentence" });
  return Array.from(sentences.segment(line), ({ segment }) => segment);
}

/** Where the last word of a text begins, also in a script that puts no space between words. */
export function lastWordAt(text: string): number {
  words ??= new Intl.Segmenter(undefined, { granularity: "word" });
  return words.segment(text).containing(text.length - 1)?.index ?? 0;
}

/** Equal for two texts that say the same but for case, marks and white space. */
export function keyOf(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim() || text
  );
}

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
