/**
 * What to quote around an identifier: the whole line that holds it. In a line too long to quote, the sentence in prose and
 * the enclosing object in JSON; nothing where the line was made by a machine for machines.
 */
import { LINE_BREAK, isSpace } from "./characters.ts";
import type { Range } from "./identifiers.ts";
import { isLetter, plainWordsIn, WORDS_ENOUGH } from "./plain-words.ts";
import type { MessageReading } from "./reading.ts";
import { isComment, isDefinition, isPiece } from "./standalone.ts";

/** A longer line is quoted in part. */
const LINE_CHARS_MAX = 300;
const SENTENCE_CHARS_MAX = 400;
const OBJECT_CHARS_MAX = 320;
const OBJECT_CHARS_MIN = 24;
/** How far around an identifier the ends of a line, a sentence or an object are looked for. */
const REACH_CHARS = 600;
/** A readable line has this share of letters, digits and spaces, and no longer run without a space. */
const READABLE_SHARE_MIN = 0.55;
const UNBROKEN_CHARS_MAX = 120;

/** `lines`: what the lines of this text came to so far. */
export function passageAround(
  text: string,
  id: Range,
  lines: Map<number, Range | undefined> = new Map(),
): Range | undefined {
  const line = lineAround(text, id);
  if (line === undefined) return objectAround(text, id) ?? sentenceAround(text, id);
  if (!lines.has(line.start)) lines.set(line.start, wholeLine(text, line));
  return lines.get(line.start);
}

/** A name that is alone says nothing, unless a neighbour says what it is. */
function wholeLine(text: string, line: Range): Range | undefined {
  if (!isReadable(text, line) || isOfTheRun(text, line)) return undefined;
  const passage = withNeighbour(text, line);
  const isBare = !/\s/.test(text.slice(line.start, line.end));
  return isBare && plainWordsIn(text, passage) < WORDS_ENOUGH ? undefined : passage;
}

/** How long a run or a test that passed took, where in its own runtime an error passed, what opens a difference: the same words every time. */
const OF_THE_RUN =
  /^(?:\W{0,4}(?:duration_ms:? [\d.]+|todo \d+$|(?:operator|diff|generatedMessage): |at .{0,120}(?:\bnode:|\[eval\])|index [0-9a-f]{7,64}\.\.[0-9a-f]{7,64}\b)|[✔✓√] .{1,250}\d ?m?s\)?$|(?:---|\+\+\+) [ab]\/\S+$|\S{0,80}\.git\/logs\/)/;

function isOfTheRun(text: string, { start, end }: Range): boolean {
  return OF_THE_RUN.test(text.slice(start, end));
}

/** The line without its margins; undefined where it is too long. */
function lineAround(text: string, id: Range): Range | undefined {
  let { start, end } = id;
  const least = Math.max(0, id.start - LINE_CHARS_MAX);
  const most = Math.min(text.length, id.end + LINE_CHARS_MAX);
  while (start > least && text.charCodeAt(start - 1) !== LINE_BREAK) start--;
  while (end < most && text.charCodeAt(end) !== LINE_BREAK) end++;
  if (start === least && start > 0 && text.charCodeAt(start - 1) !== LINE_BREAK) return undefined;
  if (end === most && end < text.length && text.charCodeAt(end) !== LINE_BREAK) return undefined;
  const trimmed = trim(text, { start, end });
  return trimmed.end - trimmed.start > LINE_CHARS_MAX ? undefined : trimmed;
}

/** A line that says little in words is quoted with a neighbour that says more, up to this length together. */
const PASSAGE_CHARS_MAX = 180;

function withNeighbour(text: string, line: Range): Range {
  const words = plainWordsIn(text, line);
  if (words >= WORDS_ENOUGH) return line;
  if (isDefinition(text.slice(line.start, line.end))) return withComment(text, line);
  const start = previousLineStart(text, line.start);
  const end = nextLineEnd(text, line.end);
  let fitting: Range | undefined;
  for (const passage of [
    { start: line.start, end },
    { start, end: line.end },
    { start, end },
  ]) {
    if (passage.end - passage.start > PASSAGE_CHARS_MAX) continue;
    const said = plainWordsIn(text, passage);
    if (said <= words || !neighboursSayMore(text, line, passage)) continue;
    if (said >= WORDS_ENOUGH) return passage;
    fitting ??= passage;
  }
  return fitting ?? line;
}

function neighboursSayMore(text: string, line: Range, { start, end }: Range): boolean {
  return (
    (start === line.start || saysMore(text, trim(text, { start, end: line.start }))) &&
    (end === line.end || saysMore(text, trim(text, { start: line.end, end })))
  );
}

/** A definition with the comment directly above it; alone where there is none. */
function withComment(text: string, line: Range): Range {
  const start = previousLineStart(text, line.start);
  const above = trim(text, { start, end: line.start });
  const fits = line.end - start <= PASSAGE_CHARS_MAX && isComment(text.slice(above.start, above.end));
  return fits ? { start, end: line.end } : line;
}

/** Whether a neighbour may come along. */
function saysMore(text: string, neighbour: Range): boolean {
  return !isOfTheRun(text, neighbour) && !isPiece(text.slice(neighbour.start, neighbour.end));
}

/** The end of the line directly below, without margins; the same place where that is empty. */
function nextLineEnd(text: string, from: number): number {
  const { length } = text;
  let start = from;
  while (start < length && text.charCodeAt(start) !== LINE_BREAK) start++;
  let end = start + 1;
  while (end < length && text.charCodeAt(end) !== LINE_BREAK && end - from <= PASSAGE_CHARS_MAX) end++;
  const line = trim(text, { start: Math.min(start + 1, length), end: Math.min(end, length) });
  return line.end > line.start ? line.end : from;
}

function previousLineStart(text: string, from: number): number {
  let end = from;
  while (end > 0 && text.charCodeAt(end - 1) !== LINE_BREAK) end--;
  let start = Math.max(0, end - 1);
  while (start > 0 && text.charCodeAt(start - 1) !== LINE_BREAK && from - start <= PASSAGE_CHARS_MAX) start--;
  const line = trim(text, { start, end: Math.max(start, end - 1) });
  return line.end > line.start ? line.start : from;
}

function trim(text: string, { start, end }: Range): Range {
  let [from, until] = [start, end];
  while (from < until && isSpace(text.charCodeAt(from))) from++;
  while (until > from && isSpace(text.charCodeAt(until - 1))) until--;
  return { start: from, end: until };
}

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** The smallest object or list in braces around the identifier that says something. */
function objectAround(text: string, id: Range): Range | undefined {
  const least = Math.max(0, id.start - REACH_CHARS);
  let depth = 0;
  for (let at = id.start - 1; at >= least; at--) {
    const code = text.charCodeAt(at);
    if (code === LINE_BREAK) return undefined;
    if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (depth > 0) depth--;
      else {
        const end = closingOf(text, at);
        if (end === undefined || end - at > OBJECT_CHARS_MAX) return undefined;
        if (end - at >= OBJECT_CHARS_MIN) return isReadable(text, { start: at, end }) ? { start: at, end } : undefined;
      }
    }
  }
  return undefined;
}

function closingOf(text: string, open: number): number | undefined {
  let depth = 0;
  const most = Math.min(text.length, open + OBJECT_CHARS_MAX + 1);
  for (let at = open; at < most; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  return undefined;
}

function sentenceAround(text: string, id: Range): Range | undefined {
  let { start, end } = id;
  const least = Math.max(0, id.start - SENTENCE_CHARS_MAX);
  const most = Math.min(text.length, id.end + SENTENCE_CHARS_MAX);
  while (start > least && !endsSentence(text, start - 1)) start--;
  while (end < most && !endsSentence(text, end - 1)) end++;
  if ((start === least && start > 0) || (end === most && end < text.length)) return undefined;
  const sentence = trim(text, { start, end });
  return sentence.end - sentence.start > SENTENCE_CHARS_MAX || !isReadable(text, sentence) ? undefined : sentence;
}

/** Whether a sentence or a line ends with the character at a place. */
function endsSentence(text: string, at: number): boolean {
  const sign = text[at]!;
  if (sign === "\n" || sign === "。" || sign === "！" || sign === "？") return true;
  return (sign === "." || sign === "!" || sign === "?") && (at + 1 >= text.length || isSpace(text.charCodeAt(at + 1)));
}

/** Fewer letters or words say nothing by themselves. */
const LETTERS_MIN = 8;
const WORDS_MIN = 2;
const LETTERS_SHARE_MIN = 0.35;

/**
 * Whether a person would read it: enough letters, no endless run of signs, and enough of it words: a line of figures or a
 * name alone means nothing without its surroundings.
 */
function isReadable(text: string, { start, end }: Range): boolean {
  let [spaces, digits, letters, words] = [0, 0, 0, 0];
  let [unbroken, longest, run] = [0, 0, 0];
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isSpace(code)) {
      spaces++;
      unbroken = run = 0;
      continue;
    }
    if (++unbroken > longest) longest = unbroken;
    if (isLetter(code)) {
      letters++;
      if (++run === WORDS_MIN) words++;
      continue;
    }
    run = 0;
    if (code >= 0x30 && code <= 0x39) digits++;
  }
  const chars = end - start;
  return (
    spaces + digits + letters >= chars * READABLE_SHARE_MIN &&
    longest <= UNBROKEN_CHARS_MAX &&
    letters >= LETTERS_MIN &&
    words >= WORDS_MIN &&
    letters >= (chars - spaces) * LETTERS_SHARE_MIN
  );
}

export interface Quote {
  readonly range: Range;
  /** Local numbers of the identifiers in it. */
  readonly holds: readonly number[];
}

export interface Quotes {
  /** Undefined where nothing readable surrounds the mention. */
  readonly around: (reading: MessageReading, mention: number) => Quote | undefined;
}

interface KnownPassage {
  readonly quotes: (Quote | null | undefined)[];
  /** By where they begin: several mentions may share a passage. */
  readonly passages: Map<number, Quote>;
  /** What each line comes to, by where it begins; nothing where it is not quoted. */
  readonly lines: Map<number, Range | undefined>;
}

export function createQuotes(): Quotes {
  const known = new WeakMap<MessageReading, KnownPassage>();
  return {
    around: (reading, mention) => {
      let entry = known.get(reading);
      if (entry === undefined) known.set(reading, (entry = { quotes: [], passages: new Map(), lines: new Map() }));
      const { quotes } = entry;
      let quote = quotes[mention];
      if (quote === undefined) quotes[mention] = quote = quoteAround(reading, mention, entry) ?? null;
      return quote ?? undefined;
    },
  };
}

function quoteAround(reading: MessageReading, mention: number, { passages, lines }: KnownPassage): Quote | undefined {
  const { starts, ends } = reading.mentions;
  const id = { start: starts[mention]!, end: ends[mention]! };
  const range = withinPart(reading, id, passageAround(reading.text, id, lines));
  if (range === undefined) return undefined;
  const known = passages.get(range.start);
  if (known?.range.end === range.end) return known;
  const quote = { range, holds: heldBy(reading, range) };
  passages.set(range.start, quote);
  return quote;
}

/** A passage as far as it is said or given to a call; the name of the tool, which stands between the two, is neither. */
function withinPart({ text, callStarts }: MessageReading, id: Range, passage: Range | undefined): Range | undefined {
  if (passage === undefined || callStarts.length === 0) return passage;
  const next = firstFrom(callStarts, id.end);
  const call = next === 0 ? undefined : callStarts[next - 1]!;
  const from = call === undefined ? 0 : endOfLine(text, call) + 1;
  const until = next === callStarts.length ? text.length : callStarts[next]! - 1;
  if (id.start < from) return undefined;
  if (passage.start >= from && passage.end <= until) return passage;
  const range = trim(text, { start: Math.max(passage.start, from), end: Math.min(passage.end, until) });
  return /\s/.test(text.slice(range.start, range.end)) ? range : undefined;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Local numbers of the identifiers that a range of a message holds. */
export function heldBy({ mentions }: MessageReading, range: Range): readonly number[] {
  const { starts, ends, which } = mentions;
  const held = new Set<number>();
  for (let at = firstFrom(starts, range.start); at < starts.length && ends[at]! <= range.end; at++)
    held.add(which[at]!);
  return [...held];
}

/** The index of the first that is not less, in numbers that ascend. */
export function firstFrom(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
