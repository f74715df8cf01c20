/** What the task is about, as words: a line of a log that holds one matters although its level says otherwise. */

const WORDS_MAX = 32;
const WORD = /[\p{L}\p{N}_]{4,40}/gu;
/** Words that every request holds. */
const COMMON = new Set(
  "about after also been before call could does done from have here into just like make more need only please should some that them then there these they this want what when where which will with would your".split(
    " ",
  ),
);

/** Distinct lower-case words of the texts, in order of appearance; the first texts count most. */
export function taskWords(...texts: readonly string[]): readonly string[] {
  const words = new Set<string>();
  for (const text of texts) {
    for (const [word] of text.slice(0, TEXT_CHARS_MAX).matchAll(WORD)) {
      if (words.size >= WORDS_MAX) return [...words];
      const lower = word.toLowerCase();
      if (!COMMON.has(lower)) words.add(lower);
    }
  }
  return [...words];
}

/** A pasted document is not a task: only the beginning of a text is read. */
const TEXT_CHARS_MAX = 2_000;
