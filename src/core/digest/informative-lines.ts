/**
 * The lines that say most for their length: names that are nowhere before, among words that say what they are. What
 * an agent later needs from a text is mostly a name, and a bare name is of no use without its sentence.
 */
import { withoutLineNumber } from "./numbered-lines.ts";
import type { Page } from "./page.ts";

/** Of larger pages an even sample is looked at. */
const LINES_SCANNED_MAX = 400;
const CHARS_SCANNED_MAX = 40_000;
const LINE_CHARS_MIN = 24;
const LINE_CHARS_MAX = 400;
const TOKEN_CHARS_MAX = 120;
const NAMES_COUNTED_MAX = 4;
const WORDS_COUNTED_MAX = 6;
const WORDS_MIN = 2;
/** A line costs something beside its length. */
const OVERHEAD_CHARS = 24;
const SEPARATORS = /[\s,;|"'()`{}[\]]+/;
const NAME_CHARS_MIN = 5;
/** Shorter numbers stand everywhere. */
const NAME_DIGITS_MIN = 4;
const WORD_LETTERS_MIN = 4;
/** Two of these are a word. */
const IDEOGRAPHS_MIN = 2;

/** Line numbers, best first, at most `max`. */
export function informativeLines(page: Page, max: number): readonly number[] {
  const seen = new Set<string>();
  const scored: { readonly number: number; readonly score: number }[] = [];
  const step = Math.ceil(Math.max(1, page.end / LINES_SCANNED_MAX, page.text.length / CHARS_SCANNED_MAX));
  for (let number = 0; number < page.end; number += step) {
    const line = page.lines[number]!;
    const score =
      line.length < LINE_CHARS_MIN || line.length > LINE_CHARS_MAX ? 0 : scoreLine(withoutLineNumber(line), seen);
    if (score > 0) scored.push({ number, score });
  }
  return scored
    .toSorted((a, b) => b.score - a.score || a.number - b.number)
    .slice(0, max)
    .map(({ number }) => number);
}

/** The names in a text, each once, in order: paths, identifiers, numbers of some length. */
export function namesIn(text: string, max: number): readonly string[] {
  const names = new Set<string>();
  for (const token of text.split(SEPARATORS)) {
    if (names.size >= max) break;
    if (token.length >= NAME_CHARS_MIN && token.length <= TOKEN_CHARS_MAX && classifyToken(token) === "name")
      names.add(token);
  }
  return [...names];
}

function scoreLine(line: string, seen: Set<string>): number {
  let names = 0;
  let words = 0;
  for (const token of line.split(SEPARATORS)) {
    if (token.length > TOKEN_CHARS_MAX) continue;
    const nature = classifyToken(token);
    if (nature === "word") words++;
    if (nature !== "name" || seen.has(token)) continue;
    names++;
    seen.add(token);
  }
  if (words < WORDS_MIN) return 0;
  return (
    (Math.min(names, NAMES_COUNTED_MAX) * 2 + Math.min(words, WORDS_COUNTED_MAX) * 0.5) / (line.length + OVERHEAD_CHARS)
  );
}

/** A name joins words (`a/b`, `a_b`, `aB`) or is a long number; a word is letters. */
function classifyToken(token: string): "name" | "word" | "neither" {
  if (JOINED.test(token) || countMatches(token, /\d/g) >= NAME_DIGITS_MIN) return "name";
  const isWord = countMatches(token, LETTERS) >= WORD_LETTERS_MIN || countMatches(token, IDEOGRAPHS) >= IDEOGRAPHS_MIN;
  return isWord ? "word" : "neither";
}

/** A capital behind a small letter; a slash or an underscore, then more. */
const JOINED = /[a-z][A-Z]|[/_][^\0-/]/;
const LETTERS = /[A-Za-z\u00c0-\u303f]/g;
const IDEOGRAPHS = /[\u3040-\uffff]/g;

function countMatches(token: string, characters: RegExp): number {
  return token.match(characters)?.length ?? 0;
}
