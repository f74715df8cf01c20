/**
 * What can be quoted around a mention, and which names a message ties by its own words. Both follow from the message
 * alone, so each is worked out once, when somebody first asks.
 */
import type { Range } from "./names.ts";
import { createRunReader } from "./plain-words.ts";
import type { Reading } from "./reading.ts";
import { ties, tiesWhere, windowAround } from "./windows.ts";

interface Quote {
  readonly range: Range;
  /** Local numbers of the identifiers that the range ties. */
  readonly ties: readonly number[];
}

export interface Quotes {
  /** The piece to quote for a mention; undefined where nothing near it says anything. */
  readonly around: (reading: Reading, mention: number) => Quote | undefined;
  /** Which of its identifiers, by their local numbers, the message itself ties. */
  readonly tiedIn: (reading: Reading) => (local: number) => boolean;
}

interface Known {
  readonly quotes: (Quote | null | undefined)[];
  /** By where they begin: several mentions may stand in one piece. */
  readonly pieces: Map<number, Quote>;
  readonly tied: (boolean | undefined)[];
}

export function createQuotes(): Quotes {
  const known = new WeakMap<Reading, Known>();
  const knownOf = (reading: Reading): Known => {
    let entry = known.get(reading);
    if (entry === undefined) known.set(reading, (entry = { quotes: [], pieces: new Map(), tied: [] }));
    return entry;
  };
  return {
    around: (reading, mention) => {
      const { quotes, pieces } = knownOf(reading);
      let quote = quotes[mention];
      if (quote === undefined) quotes[mention] = quote = quoteAround(reading, mention, pieces) ?? null;
      return quote ?? undefined;
    },
    tiedIn: (reading) => {
      const { tied } = knownOf(reading);
      return (local) => (tied[local] ??= isTied(reading, local));
    },
  };
}

function quoteAround(reading: Reading, mention: number, pieces: Map<number, Quote>): Quote | undefined {
  const { starts, ends } = reading.mentions;
  const range = windowAround(reading.text, { start: starts[mention]!, end: ends[mention]! });
  if (range === undefined) return undefined;
  const known = pieces.get(range.start);
  if (known?.range.end === range.end) return known;
  const quote = { range, ties: tiedIn(reading, range) };
  pieces.set(range.start, quote);
  return quote;
}

const readRange = createRunReader();

/** Local numbers of the identifiers that a range of a message ties. */
function tiedIn({ text, mentions }: Reading, range: Range): number[] {
  const { starts, ends, which } = mentions;
  const tied: number[] = [];
  const runs = readRange(text, range.start, range.end);
  for (let at = firstFrom(starts, range.start); at < starts.length && ends[at]! <= range.end; at++) {
    const local = which[at]!;
    if (!tied.includes(local) && ties(text, range, { start: starts[at]!, end: ends[at]! }, runs)) tied.push(local);
  }
  return tied;
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

/** Mentions looked at for one name: one that none of the first ties is hardly tied by a later. */
const MENTIONS_MAX = 4;

function isTied({ text, mentions, first, next }: Reading, local: number): boolean {
  const { starts, ends } = mentions;
  let mention = first[local]!;
  for (let seen = 0; mention >= 0 && seen < MENTIONS_MAX; seen++, mention = next[mention]!)
    if (tiesWhere(text, { start: starts[mention]!, end: ends[mention]! }, () => true)) return true;
  return false;
}
