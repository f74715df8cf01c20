/** The passage to quote for each mention of a message, and the identifiers that it holds: worked out once, when first asked for. */
import type { Range } from "./names.ts";
import { passageAround } from "./passages.ts";
import type { Reading } from "./reading.ts";

export interface Quote {
  readonly range: Range;
  /** Local numbers of the identifiers in it. */
  readonly holds: readonly number[];
}

export interface Quotes {
  /** Undefined where nothing readable surrounds the mention. */
  readonly around: (reading: Reading, mention: number) => Quote | undefined;
}

interface Known {
  readonly quotes: (Quote | null | undefined)[];
  /** By where they begin: several mentions may share a passage. */
  readonly passages: Map<number, Quote>;
}

export function createQuotes(): Quotes {
  const known = new WeakMap<Reading, Known>();
  return {
    around: (reading, mention) => {
      let entry = known.get(reading);
      if (entry === undefined) known.set(reading, (entry = { quotes: [], passages: new Map() }));
      const { quotes, passages } = entry;
      let quote = quotes[mention];
      if (quote === undefined) quotes[mention] = quote = quoteAround(reading, mention, passages) ?? null;
      return quote ?? undefined;
    },
  };
}

function quoteAround(reading: Reading, mention: number, passages: Map<number, Quote>): Quote | undefined {
  const { starts, ends } = reading.mentions;
  const range = passageAround(reading.text, { start: starts[mention]!, end: ends[mention]! });
  if (range === undefined) return undefined;
  const known = passages.get(range.start);
  if (known?.range.end === range.end) return known;
  const quote = { range, holds: heldBy(reading, range) };
  passages.set(range.start, quote);
  return quote;
}

/** Local numbers of the identifiers that a range of a message holds. */
export function heldBy({ mentions }: Reading, range: Range): readonly number[] {
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
