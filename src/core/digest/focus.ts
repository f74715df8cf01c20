/** The lines that hold words of the task, rarest words first: a DEBUG line matters to someone who is profiling. */
import { linesWith, type Page } from "./page.ts";

const FOCUS_WORDS_MAX = 60;
const FOCUS_WORD_CHARS_MIN = 3;
const FOCUS_LINES_SCANNED_MAX = 2_000;
const LINE_OVERHEAD_CHARS = 40;
const NAME_FACTOR = 10;
const SHOWN_FACTOR = 0.3;
const SAMPLE_LINES = 60;
/** A word in more than this share of lines says nothing about any of them. */
const COMMON_SHARE = 0.3;
const LINE_CHARS_SCANNED_MAX = 1_000;

export interface Focus {
  /** Words of the task, lower case. */
  readonly words: readonly string[];
  /** Names that the agent used after it had read the page: better evidence than a word. Lower case. */
  readonly names?: readonly string[];
}

/** Numbers of the lines that hold focus words or names, best first, at most `max`. */
export function focusLines(page: Page, focus: Focus, max: number): readonly number[] {
  const names = new Set(focus.names ?? []);
  const words = tellingWords(page, [...names, ...focus.words]);
  if (words.length === 0) return [];
  const pattern = new RegExp(words.map(escaped).join("|"), "gi");
  const held = linesWith(page, pattern, FOCUS_LINES_SCANNED_MAX).map((number) => ({
    number,
    words: wordsIn(page.lines[number]!, pattern),
  }));
  const lines = new Map<string, number>();
  for (const { words: here } of held) for (const word of here) lines.set(word, (lines.get(word) ?? 0) + 1);
  const worth = new Map([...lines].map(([word, count]) => [word, (names.has(word) ? NAME_FACTOR : 1) / count]));
  return cover(page, held, { worth, max });
}

interface Held {
  readonly number: number;
  readonly words: ReadonlySet<string>;
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

function wordsIn(line: string, pattern: RegExp): ReadonlySet<string> {
  return new Set(line.slice(0, LINE_CHARS_SCANNED_MAX).toLowerCase().match(pattern));
}

/** Focus words without those that stand everywhere, judged by a sample. */
function tellingWords(page: Page, focus: readonly string[]): readonly string[] {
  const words = [...new Set(focus)].filter((word) => word.length >= FOCUS_WORD_CHARS_MIN).slice(0, FOCUS_WORDS_MAX);
  const step = Math.max(1, Math.floor(page.lines.length / SAMPLE_LINES));
  const sample: string[] = [];
  for (let at = 0; at < page.lines.length; at += step)
    sample.push(page.lines[at]!.slice(0, LINE_CHARS_SCANNED_MAX).toLowerCase());
  if (sample.length < 10) return words;
  return words.filter((word) => sample.filter((line) => line.includes(word)).length <= sample.length * COMMON_SHARE);
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
