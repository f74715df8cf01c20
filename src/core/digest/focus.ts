/** The lines that hold words of the task, rarest words first: a DEBUG line matters to someone who is profiling. */
import { linesWith, type Page } from "./page.ts";

const FOCUS_WORDS_MAX = 60;
const FOCUS_WORD_CHARS_MIN = 3;
const FOCUS_LINES_SCANNED_MAX = 2_000;
const LINE_OVERHEAD_CHARS = 40;
const SAMPLE_LINES = 200;
/** A word in more than this share of lines says nothing about any of them. */
const COMMON_SHARE = 0.3;
const LINE_CHARS_SCANNED_MAX = 1_000;

/** Numbers of the lines that hold focus words, best first, at most `max`. */
export function focusLines(page: Page, focus: readonly string[], max: number): readonly number[] {
  const words = tellingWords(page, focus);
  if (words.length === 0) return [];
  const pattern = new RegExp(words.map(escaped).join("|"), "gi");
  const held = linesWith(page, pattern, FOCUS_LINES_SCANNED_MAX).map((number) => ({
    number,
    words: wordsIn(page.lines[number]!, pattern),
  }));
  const lines = new Map<string, number>();
  for (const { words: here } of held) for (const word of here) lines.set(word, (lines.get(word) ?? 0) + 1);
  // A rare word counts more, and a long line costs more.
  const score = (here: ReadonlySet<string>, chars: number): number => {
    let sum = 0;
    for (const word of here) sum += 1 / lines.get(word)!;
    return sum / Math.sqrt(chars + LINE_OVERHEAD_CHARS);
  };
  return held
    .map((line) => ({ number: line.number, score: score(line.words, page.lines[line.number]!.length) }))
    .toSorted((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, max)
    .map(({ number }) => number);
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
