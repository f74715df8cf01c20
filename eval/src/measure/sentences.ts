/** How much of a handoff reads as sentences; the rest are paths, code and fragments. */

/** A line reads as a sentence when it is words, mostly: at least six of them, in three quarters of its characters. */
const SENTENCE_WORDS_MIN = 6;
const SENTENCE_LETTERS_MIN = 0.75;

export function sentenceShare(handoff: string): number {
  let [all, inSentences] = [0, 0];
  for (const line of handoff.split("\n")) {
    all += line.length;
    const words = line.match(/\p{L}{2,}/gu) ?? [];
    const letters = line.match(/[\p{L} ]/gu)?.length ?? 0;
    if (words.length >= SENTENCE_WORDS_MIN && letters >= line.length * SENTENCE_LETTERS_MIN) inSentences += line.length;
  }
  return all === 0 ? 0 : inSentences / all;
}
