/** Plain words: what a reader can make sense of beside the identifiers. Letters in runs of four, or two of Chinese. */
import { classAt, COLON, LOWER, SLASH, UPPER, WORD } from "./characters.ts";
import { pathEnd, PLAIN, readWord, urlEnd, urlStart, wordEnd, wordForm, type Range } from "./names.ts";

const LETTERS_MIN = 4;
const CHINESE_MIN = 2;

/** A stretch of characters that identifiers are made of, with the plain words in it. */
export interface Run extends Range {
  readonly words: readonly string[];
}

/** The runs of a range, read as if it stood alone. */
export function runsIn(text: string, { start, end }: Range): readonly Run[] {
  const runs: Run[] = [];
  let at = start;
  while (at < end) {
    let seen = 0;
    const from = at;
    for (let one = 0; at < end && (one = classAt(text, at)) !== 0; at++) seen |= one;
    if (at === from) {
      at++;
      continue;
    }
    const url = at < end && text.charCodeAt(at) === COLON ? urlStart(text, from, at) : -1;
    const run = { start: from, end: url < 0 ? at : url };
    const words: string[] = [];
    addWords(text, { start: (seen & SLASH) === 0 ? from : pathEnd(text, run), end: run.end }, words);
    if (url >= 0) at = urlEnd(text, at);
    runs.push({ start: from, end: at, words });
  }
  return runs;
}

function addWords(text: string, { start, end }: Range, found: string[]): void {
  let at = start;
  while (at < end) {
    if ((classAt(text, at) & WORD) === 0) {
      at++;
      continue;
    }
    const word = readWord(text, at, end);
    if (wordForm(word) === PLAIN) addLetters(text, { start: at, end: wordEnd(word) }, found);
    at = wordEnd(word);
  }
}

/** Letters in a row, of one script: what stands in a word that is no identifier, digits and underscores taken out. */
function addLetters(text: string, { start, end }: Range, found: string[]): void {
  let at = start;
  while (at < end) {
    const from = at;
    while (at < end && (classAt(text, at) & (LOWER | UPPER)) !== 0) at++;
    if (at - from >= LETTERS_MIN) addDistinct(text.slice(from, at).toLowerCase(), found);
    const chinese = at;
    while (at < end && isChinese(text.charCodeAt(at))) at++;
    if (at - chinese >= CHINESE_MIN) addDistinct(text.slice(chinese, at), found);
    if (at === from) at++;
  }
}

function isChinese(code: number): boolean {
  return code >= 0x4e00 && code <= 0x9fff;
}

function addDistinct(word: string, found: string[]): void {
  if (!found.includes(word)) found.push(word);
}
