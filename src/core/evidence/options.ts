/** The ways to tie an identifier: a line of paths, or a quote. Worked out once, and again only when it is mentioned anew. */
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt } from "./excerpt.ts";
import { exposes, looksMade } from "./exposure.ts";
import type { Range } from "./names.ts";
import { firstFrom, type Quotes } from "./quotes.ts";
import type { Sources } from "./sources.ts";
import type { Tally } from "./tally.ts";

const PATHS_SOURCE = "paths, by tool";
const MENTIONS_A_PLACE_MAX = 3;
/** The newest messages that hold a name; older ones tie it no better. */
const PLACES_MAX = 3;

export interface Option {
  readonly kind: "lines" | "path";
  readonly message: number;
  readonly range: Range;
  readonly source: string;
  /** Numbers of the identifiers that it ties. */
  readonly ties: readonly number[];
  /** For a path: the tool and the path as it is written. */
  readonly tool: string | undefined;
  readonly path: string | undefined;
}

/** An option with what it weighed last, on which scales, and as what it is quoted. */
interface Weighed extends Option {
  tokens: number;
  scales: Measure | undefined;
  excerpt: Excerpt | undefined;
  /** Whether it shows no secret, by whom that was judged last. */
  safe: boolean;
  judge: Redact | undefined;
}

type Redact = (text: string) => string;

export interface Options {
  /** Those of one identifier, by its number. A quote that several identifiers share is one object. */
  readonly of: (known: Known, number: number) => readonly Option[];
  /** Tokens of what the option says, with its line break or comma. */
  readonly tokensOf: (option: Option, tally: Tally, measure: Measure) => number;
  /** A quote that was weighed, as it stands by itself: the same object as long as nothing changes. */
  readonly quoted: (option: Option, tally: Tally) => Excerpt;
  /** Whether it shows no secret that only its surroundings give away. */
  readonly isSafe: (option: Option, tally: Tally, redact: Redact) => boolean;
}

interface Known {
  readonly tally: Tally;
  readonly sources: Sources;
}

/** What was worked out for one conversation, whose paths are told from one root. */
interface Book extends Known {
  readonly options: (readonly Weighed[])[];
  /** How many messages held the identifier when its options were worked out. */
  readonly counts: number[];
  readonly quotes: Map<number, Weighed>;
}

export function createOptions(quotes: Quotes): Options {
  let book: Book | undefined;
  const bookOf = (known: Known): Book => {
    const { root, redact } = known.sources;
    if (book?.tally === known.tally && book.sources.root === root && book.sources.redact === redact) return book;
    return (book = { ...known, options: [], counts: [], quotes: new Map() });
  };
  return {
    of: (known, number) => {
      const open = bookOf(known);
      const count = known.tally.counts[number]!;
      if (open.counts[number] !== count) {
        open.options[number] = optionsFor(quotes, open, number);
        open.counts[number] = count;
      }
      return open.options[number]!;
    },
    tokensOf: (option, tally, measure) => {
      const weighed = option as Weighed;
      if (weighed.scales !== measure) {
        weighed.tokens = weigh(option, tally, measure);
        weighed.scales = measure;
        weighed.excerpt = undefined;
      }
      return weighed.tokens;
    },
    quoted: (option, tally) => {
      const weighed = option as Weighed;
      return (weighed.excerpt ??= excerptOf(tally, { ...option, ...option.range, tokens: weighed.tokens }));
    },
    isSafe: (option, tally, redact) => {
      const judged = option as Weighed;
      if (judged.judge !== redact) {
        const { text } = tally.entries[option.message]!.reading;
        judged.safe = !exposes(text, option.range, redact) && !(option.path !== undefined && looksMade(option.path));
        judged.judge = redact;
      }
      return judged.safe;
    },
  };
}

/** A line of paths names its tool once for about so many characters. */
const TOOL_NAME_SHARED_BY_CHARS = 16;

function weigh(option: Option, { entries }: Tally, measure: Measure): number {
  const { range, tool, path } = option;
  if (path !== undefined) return measure.text(`${path}, `) + (tool!.length + 3) / TOOL_NAME_SHARED_BY_CHARS;
  return measure.text(`${entries[option.message]!.reading.text.slice(range.start, range.end)}\n`);
}

interface Stretch extends Range {
  readonly message: number;
  readonly source: string;
  readonly tokens: number;
}

/** A stretch of a message as an excerpt. */
export function excerptOf({ entries }: Tally, { message, start, end, source, tokens }: Stretch): Excerpt {
  const { reading, numbers } = entries[message]!;
  const { starts, ends, which } = reading.mentions;
  const names: number[] = [];
  for (let at = firstFrom(starts, start); at < starts.length && ends[at]! <= end; at++)
    names.push(numbers[which[at]!]!);
  return { message, at: start, source, text: reading.text.slice(start, end), tokens, names };
}

/** Every way to tie one identifier: a line of paths, or a quote from one of its places. */
function optionsFor(quotes: Quotes, { tally, sources, quotes: shared }: Book, number: number): readonly Weighed[] {
  const options = new Set<Weighed>();
  const { kind, places } = tally.standings[number]!;
  for (let at = Math.max(0, places.length - 2 * PLACES_MAX); at < places.length; at += 2) {
    const message = places[at]!;
    const entry = tally.entries[message]!;
    const { reading, numbers } = entry;
    const { starts, ends } = reading.mentions;
    let mention = reading.first[places[at + 1]!]!;
    for (let seen = 0; mention >= 0 && seen < MENTIONS_A_PLACE_MAX; seen++, mention = reading.next[mention]!) {
      const place = { start: starts[mention]!, end: ends[mention]! };
      const tool = kind === "path" && seen === 0 ? sources.toolAt(entry, place.start) : undefined;
      if (tool !== undefined) {
        const path = sources.pathAround(reading.text, place);
        const ties = [number];
        options.add(unweighed({ kind: "path", message, range: place, source: PATHS_SOURCE, ties, tool, path }));
      }
      const quote = quotes.around(reading, mention);
      if (quote === undefined) continue;
      const key = keyOf(message, quote.range);
      let option = shared.get(key);
      if (option === undefined) {
        const source = sources.labelAt(entry, place.start);
        const ties = quote.ties.map((local) => numbers[local]!);
        const { range } = quote;
        option = unweighed({ kind: "lines", message, range, source, ties, tool: undefined, path: undefined });
        shared.set(key, option);
      }
      options.add(option);
    }
  }
  return [...options];
}

function unweighed(option: Option): Weighed {
  return { ...option, tokens: 0, scales: undefined, excerpt: undefined, safe: false, judge: undefined };
}

const CHARS_PER_MESSAGE_MAX = 2 ** 24;
const CHARS_PER_QUOTE_MAX = 2 ** 10;

function keyOf(message: number, { start, end }: Range): number {
  return (message * CHARS_PER_MESSAGE_MAX + start) * CHARS_PER_QUOTE_MAX + (end - start);
}
