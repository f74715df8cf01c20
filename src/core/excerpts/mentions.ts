/**
 * Finds identifiers in a text in one pass: paths (by their last two components), symbols, numbers, hashes and URLs.
 * These are what a continuation asks for by name, so they are what a handoff must be able to bind. A scanner by hand
 * keeps this linear on any input, one endless line included.
 */
import { CLASS_OF, COLON, DIGIT, DOT, MARK, SLASH, UNDERSCORE, UPPER, WORD, bytesOf } from "./characters.ts";
import {
  HASH,
  PLAIN,
  type PathName,
  formOf,
  numberEnd,
  pathEnd,
  pathName,
  readWord,
  urlEnd,
  urlStart,
  wordEnd,
  wordForm,
} from "./identifiers.ts";
import { NO_NAME, type NameTable, createNameTable } from "./name-table.ts";

export type MentionKind = "path" | "symbol" | "number" | "hash" | "url";

/** Where identifiers are in one text. Parallel arrays, in order of place, because a transcript holds tens of thousands. */
export interface Mentions {
  /** Distinct identifiers, by their numbers in the table of names, in order of first mention. */
  readonly names: readonly number[];
  readonly kinds: readonly MentionKind[];
  /** For each mention: the index of its identifier, and its half-open range in the text. */
  readonly which: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** The distinct identifiers of a text. */
export function identifiersIn(text: string): readonly string[] {
  const table = createNameTable();
  return mentionsIn(text, table).names.map((name) => table.names[name]!);
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

const NOTHING = { text: "", bytes: new Uint8Array(0) as Uint8Array, table: createNameTable() };

/** The text that is being read, and what was found in it: one at a time, so one place serves all. */
const found = {
  ...NOTHING,
  /** Distinct identifiers, and mentions. */
  distinct: 0,
  count: 0,
  names: [] as number[],
  kinds: [] as MentionKind[],
  which: [] as number[],
  starts: [] as number[],
  ends: [] as number[],
  /** For each name of the table: the last reading that met it, and its index there. */
  reading: 0,
  metIn: [] as number[],
  indexes: [] as number[],
};

export function mentionsIn(text: string, table: NameTable): Mentions {
  found.text = text;
  found.bytes = bytesOf(text, 0, text.length);
  found.table = table;
  found.distinct = 0;
  found.count = 0;
  found.reading++;
  scan(text.length);
  // Nothing of it is kept alive.
  ({ text: found.text, bytes: found.bytes, table: found.table } = NOTHING);
  const { names, kinds, which, starts, ends, distinct, count } = found;
  return {
    names: names.slice(0, distinct),
    kinds: kinds.slice(0, distinct),
    which: which.slice(0, count),
    starts: starts.slice(0, count),
    ends: ends.slice(0, count),
  };
}

function scan(end: number): void {
  const { bytes } = found;
  let at = 0;
  while (at < end) {
    const first = CLASS_OF[bytes[at]!]!;
    if (first === 0) {
      at++;
      continue;
    }
    const start = at++;
    let later = 0;
    // The zero behind the text ends every run.
    for (let one = 0; (one = CLASS_OF[bytes[at]!]!) !== 0; at++) later |= one;
    if (at - start < RUN_CHARS_MIN) continue;
    // `http` is as long.
    const url = bytes[at] === COLON ? urlStart(bytes, start, at, end) : -1;
    if (((later & TELLING) | (first & TELLING_FIRST)) !== 0) {
      const seen = first | later;
      if (url < 0 && (first & DIGIT) === 0 && (seen & BEYOND_WORDS) === 0)
        addWord(start, at, formOf(bytes, start, at, later));
      else scanRun(start, url < 0 ? at : url, (seen & SLASH) !== 0);
    }
    if (url >= 0) {
      at = urlEnd(bytes, at, end);
      addUrl(url, at);
    }
  }
}

/** At most one path opens a run; words and numbers fill the rest, and a hash counts inside a path too. */
function scanRun(start: number, end: number, slashed: boolean): void {
  const { bytes } = found;
  const rest = slashed ? pathEnd(bytes, start, end) : start;
  const name = rest > start ? pathName(bytes, start, rest) : undefined;
  if (name === undefined) return scanWords(start, end, rest, end);
  // In order of place, so that whoever looks for what is in a range can search.
  scanWords(start, name.parent.start, rest, end);
  addPath(name);
  scanWords(name.parent.start, end, rest, end);
}

/** The words of a part of a run that ends at `until`; from `rest` on it is no longer its path. */
function scanWords(start: number, end: number, rest: number, until: number): void {
  const { bytes } = found;
  let at = start;
  while (at < end) {
    const first = CLASS_OF[bytes[at]!]!;
    if ((first & WORD) === 0) {
      at++;
      continue;
    }
    const number = first === DIGIT && at >= rest ? numberEnd(bytes, at, rest, until) : -1;
    if (number >= 0) add("number", at, number);
    const word = readWord(bytes, at, end);
    const form = wordForm(word);
    // Inside a path only a hash counts.
    if (form === HASH || at >= rest) addWord(at, wordEnd(word), form);
    at = wordEnd(word);
  }
}

/** Adds a word that is a symbol or a hash. */
function addWord(start: number, end: number, form: number): void {
  if (form !== PLAIN) add(form === HASH ? "hash" : "symbol", start, end);
}

function addUrl(start: number, end: number): void {
  let last = end;
  while (URL_TRAIL.includes(found.text.charAt(last - 1))) last--;
  add("url", start, last);
}

/** Adds a path by its last two components, whatever is between them. */
function addPath({ parent, last }: PathName): void {
  const { text, table } = found;
  if (parent.end + 1 === last.start) return add("path", parent.start, last.end);
  const name = `${text.slice(parent.start, parent.end)}/${text.slice(last.start, last.end)}`;
  addName("path", parent.start, last.end, table.numberOf(name, hasRoom()));
}

function add(kind: MentionKind, start: number, end: number): void {
  addName(kind, start, end, found.table.numberOf(found.text.slice(start, end), hasRoom()));
}

function hasRoom(): boolean {
  return found.distinct < NAMES_MAX;
}

function addName(kind: MentionKind, start: number, end: number, name: number): void {
  // A text without room for more names may go on for tens of thousands, and an array is slow to say what it has at -1.
  if (name === NO_NAME) return;
  const { metIn, indexes } = found;
  if (metIn[name] !== found.reading) {
    if (!hasRoom()) return;
    metIn[name] = found.reading;
    indexes[name] = found.distinct;
    found.kinds[found.distinct] = kind;
    found.names[found.distinct++] = name;
  }
  found.which[found.count] = indexes[name]!;
  found.starts[found.count] = start;
  found.ends[found.count++] = end;
}

/** Lines that are remembered; a handoff has a few hundred. */
const LINES_MAX = 2_000;
/** A longer line hardly comes again. */
const LINE_CHARS_MAX = 500;

/** Hears of each mention: the identifier's number, and its half-open range in the text. */
export type OnMention = (name: number, start: number, end: number) => void;

/** Reads a text's mentions, in order of place, by their numbers in the table of names. No identifier goes beyond a line. */
export type LineReader = (text: string, hear: OnMention) => void;

export function createLineReader(table: NameTable): LineReader {
  let known = new Map<string, Mentions>();
  const read = (line: string): Mentions => {
    if (line.length > LINE_CHARS_MAX) return mentionsIn(line, table);
    let mentions = known.get(line);
    if (mentions === undefined) {
      const own = copyOf(line);
      mentions = mentionsIn(own, table);
      if (known.size >= LINES_MAX) known = new Map();
      known.set(own, mentions);
    }
    return mentions;
  };
  return (text, hear) => {
    let offset = 0;
    for (const line of text.split("\n")) {
      const { names, which, starts, ends } = read(line);
      for (let at = 0; at < which.length; at++) hear(names[which[at]!]!, offset + starts[at]!, offset + ends[at]!);
      offset += line.length + 1;
    }
  };
}

/** A copy that does not keep the text alive that it was cut from. */
function copyOf(line: string): string {
  return ` ${line}`.slice(1);
}
