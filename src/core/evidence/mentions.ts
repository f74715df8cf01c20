/**
 * Finds identifiers in a text in one pass: paths (by their last two components), symbols, numbers, hashes and URLs.
 * These are what a continuation asks for by name, so they are what a handoff must be able to bind. A scanner by hand
 * keeps this linear on any input, one endless line included.
 */
import { classAt, COLON, DIGIT, DOT, MARK, SLASH, UNDERSCORE, UPPER, WORD } from "./characters.ts";
import {
  formOf,
  HASH,
  numberEnd,
  pathEnd,
  pathName,
  PLAIN,
  readWord,
  trimmedEnd,
  urlEnd,
  urlStart,
  wordEnd,
  wordForm,
  type Range,
} from "./names.ts";

export type MentionKind = "path" | "symbol" | "number" | "hash" | "url";

/** Where identifiers stand in one text. Parallel arrays, in order of place, because a transcript holds tens of thousands. */
export interface Mentions {
  /** Distinct identifiers, in order of first mention. */
  readonly ids: readonly string[];
  readonly kinds: readonly MentionKind[];
  /** For each mention: the index of its identifier, and its half-open range in the text. */
  readonly which: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** What a run must hold to be worth a closer look: plain words are not, capitalised or not. */
const TELLING = UPPER | DIGIT | UNDERSCORE | SLASH;
const TELLING_FIRST = DIGIT | SLASH;
/** A run without them is one word. */
const BEYOND_WORDS = DOT | SLASH | MARK;
/** No identifier is shorter. */
const RUN_CHARS_MIN = 4;
/** A text that names more says nothing of any one of them: further names are not counted (the corpus knows 1,800 at most). */
const NAMES_MAX = 5_000;
/** Punctuation of the sentence around a URL. */
const URL_TRAIL = ".,;:";

export function mentionsIn(text: string): Mentions {
  const found = createCollector(text);
  const end = text.length;
  let at = 0;
  while (at < end) {
    const first = classAt(text, at);
    if (first === 0) {
      at++;
      continue;
    }
    const start = at++;
    let later = 0;
    for (let one = 0; at < end && (one = classAt(text, at)) !== 0; at++) later |= one;
    const long = at - start >= RUN_CHARS_MIN;
    // `http` is as long.
    const url = long && text.charCodeAt(at) === COLON ? urlStart(text, start, at) : -1;
    if (long && ((later & TELLING) | (first & TELLING_FIRST)) !== 0) {
      const seen = first | later;
      if (url < 0 && (first & DIGIT) === 0 && (seen & BEYOND_WORDS) === 0)
        found.addWord({ start, end: at }, formOf(text, { start, end: at }, first, later));
      else scanRun(text, { start, end: url < 0 ? at : url, slashed: (seen & SLASH) !== 0 }, found);
    }
    if (url < 0) continue;
    at = urlEnd(text, at);
    found.add("url", url, trimmedEnd(text, { start: url, end: at }, URL_TRAIL));
  }
  return found.mentions();
}

/** A stretch of characters that a path may hold. */
interface Run extends Range {
  readonly slashed: boolean;
}

/** At most one path opens a run; words and numbers fill the rest, and a hash counts inside a path too. */
function scanRun(text: string, run: Run, found: Collector): void {
  const rest = run.slashed ? pathEnd(text, run) : run.start;
  const beyond = { start: rest, end: run.end };
  const name = rest > run.start ? pathName(text, { start: run.start, end: rest }) : undefined;
  if (name === undefined) return scanWords(text, { ...run, beyond }, found);
  // In order of place, so that whoever looks for what stands in a range can search.
  const { parent, last } = name;
  scanWords(text, { start: run.start, end: parent.start, beyond }, found);
  const apart = parent.end + 1 !== last.start;
  const id = apart ? `${text.slice(parent.start, parent.end)}/${text.slice(last.start, last.end)}` : undefined;
  found.add("path", parent.start, last.end, id);
  scanWords(text, { start: parent.start, end: run.end, beyond }, found);
}

/** A part of a run; `beyond` is what lies behind the run's path. */
interface Part extends Range {
  readonly beyond: Range;
}

function scanWords(text: string, { start, end, beyond }: Part, found: Collector): void {
  let at = start;
  while (at < end) {
    const first = classAt(text, at);
    if ((first & WORD) === 0) {
      at++;
      continue;
    }
    const number = first === DIGIT && at >= beyond.start ? numberEnd(text, at, beyond) : -1;
    if (number >= 0) found.add("number", at, number);
    const word = readWord(text, at, end);
    const form = wordForm(word);
    // Inside a path only a hash counts.
    if (form === HASH || at >= beyond.start) found.addWord({ start: at, end: wordEnd(word) }, form);
    at = wordEnd(word);
  }
}

interface Collector {
  readonly mentions: () => Mentions;
  readonly add: (kind: MentionKind, start: number, end: number, id?: string) => void;
  /** Adds a word that is a symbol or a hash. */
  readonly addWord: (word: Range, form: number) => void;
}

/** Where mentions are collected before their number is known: one text at a time, so one place serves all. */
const COLLECTED = {
  ids: [] as string[],
  kinds: [] as MentionKind[],
  which: [] as number[],
  starts: [] as number[],
  ends: [] as number[],
};

function createCollector(text: string): Collector {
  const { ids, kinds, which, starts, ends } = COLLECTED;
  const known = new Map<string, number>();
  let count = 0;
  const add = (kind: MentionKind, start: number, end: number, id = text.slice(start, end)): void => {
    let index = known.get(id);
    if (index === undefined) {
      index = known.size;
      if (index >= NAMES_MAX) return;
      known.set(id, index);
      ids[index] = id;
      kinds[index] = kind;
    }
    which[count] = index;
    starts[count] = start;
    ends[count++] = end;
  };
  return {
    add,
    addWord: ({ start, end }, form) => {
      if (form !== PLAIN) add(form === HASH ? "hash" : "symbol", start, end);
    },
    mentions: () => ({
      ids: ids.slice(0, known.size),
      kinds: kinds.slice(0, known.size),
      which: which.slice(0, count),
      starts: starts.slice(0, count),
      ends: ends.slice(0, count),
    }),
  };
}
