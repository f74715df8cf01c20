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
