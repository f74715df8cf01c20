/** Words of the task, and the lines that hold them, rarest words first: a DEBUG line matters to someone who is profiling. */
import type { Page } from "./page.ts";

const WORDS_MAX = 60;
const WORD_CHARS_MIN = 3;
const MATCHES_MAX = 20_000;
/** A word in more than this share of lines says nothing about any of them; of a few lines that cannot be told. */
const COMMON_SHARE = 0.3;
const COMMON_LINES_MIN = 10;
const LINE_OVERHEAD_CHARS = 40;
const NAME_FACTOR = 10;
/** What a word that was shown once is still worth. */
const SHOWN_FACTOR = 0.3;

interface Focus {
  readonly words: readonly string[];
  /** Names that the agent used after it had read the page: better evidence than a word. Lower case. */
  readonly names?: readonly string[];
}

/** Numbers of the lines that hold focus words or names, best first, at most `max`. */
export function focusLines(page: Page, focus: Focus, max: number): readonly number[] {
  const names = new Set(focus.names ?? []);
  const words = [...new Set([...names, ...focus.words])]
    .filter((word) => word.length >= WORD_CHARS_MIN)
    .slice(0, WORDS_MAX);
  if (words.length === 0) return [];
  const held = linesHolding(page, words);
  const lines = new Map<string, number>();
  for (const line of held) for (const word of line.words) lines.set(word, (lines.get(word) ?? 0) + 1);
  const common = Math.max(COMMON_LINES_MIN, page.lines.length) * COMMON_SHARE;
  const worth = new Map(
    [...lines].map(([word, count]) => [word, count > common ? 0 : (names.has(word) ? NAME_FACTOR : 1) / count]),
  );
  return cover(page, held, { worth, max });
}

interface Held {
  readonly number: number;
  readonly words: Set<string>;
}

/** One scan of the whole text. A pattern that heeds case is several times as fast, so the text is lowered instead. */
function linesHolding(page: Page, words: readonly string[]): readonly Held[] {
  const pattern = new RegExp(words.map(escaped).join("|"), "g");
  const text = page.text.toLowerCase();
  const held: Held[] = [];
  let number = 0;
  let newline = text.indexOf("\n");
  let matches = 0;
  for (let match = pattern.exec(text); match !== null && matches++ < MATCHES_MAX; match = pattern.exec(text)) {
    for (; newline >= 0 && newline < match.index; newline = text.indexOf("\n", newline + 1)) number++;
    const line = held.at(-1);
    if (line?.number === number) line.words.add(match[0]);
    else held.push({ number, words: new Set([match[0]]) });
  }
  return held;
}

/** Greedy: rare words count more, long lines cost more, and a word that was shown counts less the next time. */
function cover(
  page: Page,
  held: readonly Held[],
  { worth, max }: { readonly worth: Map<string, number>; readonly max: number },
): readonly number[] {
  const left = new Set(held);
  const covered: number[] = [];
  while (covered.length < max && left.size > 0) {
    let best: Held | undefined;
    let most = 0;
    for (const line of left) {
      let sum = 0;
      for (const word of line.words) sum += worth.get(word)!;
      sum /= Math.sqrt(page.lines[line.number]!.length + LINE_OVERHEAD_CHARS);
      if (sum > most) [best, most] = [line, sum];
    }
    if (best === undefined) break;
    left.delete(best);
    covered.push(best.number);
    for (const word of best.words) worth.set(word, worth.get(word)! * SHOWN_FACTOR);
  }
  return covered;
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

const TASK_WORDS_MAX = 32;
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
      if (words.size >= TASK_WORDS_MAX) return [...words];
      const lower = word.toLowerCase();
      if (!COMMON.has(lower)) words.add(lower);
    }
  }
  return [...words];
}

/** A pasted document is not a task: only the beginning of a text is read. */
const TEXT_CHARS_MAX = 2_000;
