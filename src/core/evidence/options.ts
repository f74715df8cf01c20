/**
 * The ways to tie an identifier: a line of paths, or a quote. Worked out once, and again only when it is mentioned anew.
 * They are numbered, and what the selection asks of every one stands in arrays of its own: it walks a thousand of them.
 */
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

/** The options of one conversation. A quote that several identifiers share is one option. */
export interface Book {
  readonly options: readonly Option[];
  /** Of what each option says, with its line break or comma. */
  readonly tokens: readonly number[];
  /** The number of the source of each option; and for each source, the tokens of the line that names it. */
  readonly sources: readonly number[];
  readonly leads: readonly number[];
  /** Where a quote stands: the message, the start and the end. A path stands nowhere: its message is -1. */
  readonly messages: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** What option n ties: `ties[tieStarts[n] .. tieStarts[n + 1])`. */
  readonly ties: readonly number[];
  readonly tieStarts: readonly number[];
  /** Those of some identifiers, each once, in order. */
  readonly of: (numbers: readonly number[]) => readonly number[];
  /** A quote as it stands by itself: the same object as long as nothing changes. */
  readonly quoted: (option: number) => Excerpt;
  /** Whether it shows no secret that only its surroundings give away. */
  readonly isSafe: (option: number) => boolean;
}

export interface Known {
  readonly tally: Tally;
  readonly sources: Sources;
}

export interface Options {
  /** The book of a conversation, weighed with `measure`: the one of the last time, where nothing but the end is new. */
  readonly bookFor: (known: Known, measure: Measure) => Book;
}

export function createOptions(quotes: Quotes): Options {
  let last: { readonly known: Known; readonly writer: BookWriter } | undefined;
  return {
    bookFor: (known, measure) => {
      const { root, redact } = known.sources;
      const before = last?.known;
      const goesOn = before?.tally === known.tally && before.sources.root === root && before.sources.redact === redact;
      const { writer } = goesOn ? last! : (last = { known, writer: createBook(quotes, known) });
      writer.weighWith(measure);
      return writer.book;
    },
  };
}

interface BookWriter {
  readonly book: Book;
  readonly weighWith: (measure: Measure) => void;
}

function createBook(quotes: Quotes, known: Known): BookWriter {
  const { tally } = known;
  const options: Option[] = [];
  const [messages, starts, ends]: [number[], number[], number[]] = [[], [], []];
  const ties: number[] = [];
  const tieStarts: number[] = [0];
  const scales = createScales(tally);
  const excerpts: (Excerpt | undefined)[] = [];
  const safe: (boolean | undefined)[] = [];
  const numbersOf = new Map<number, number>();
  const add = (option: Option): number => {
    ties.push(...option.ties);
    tieStarts.push(ties.length);
    messages.push(option.kind === "path" ? -1 : option.message);
    starts.push(option.range.start);
    ends.push(option.range.end);
    scales.weigh(option);
    return options.push(option) - 1;
  };
  const addQuote = (key: number, make: () => Option): number => {
    let number = numbersOf.get(key);
    if (number === undefined) numbersOf.set(key, (number = add(make())));
    return number;
  };
  const index = createIndex(tally, (number) => optionsFor(number, { quotes, known, add, addQuote }));
  const { tokens, sources, leads } = scales;
  return {
    weighWith: (measure) => {
      if (scales.weighWith(measure, options)) excerpts.length = 0;
    },
    book: {
      options,
      tokens,
      sources,
      leads,
      messages,
      starts,
      ends,
      ties,
      tieStarts,
      of: index.of,
      quoted: (number) => {
        const option = options[number]!;
        return (excerpts[number] ??= excerptOf(tally, { ...option, ...option.range, tokens: tokens[number]! }));
      },
      isSafe: (number) => (safe[number] ??= showsNoSecret(options[number]!, known)),
    },
  };
}

function showsNoSecret({ message, range, path }: Option, { tally, sources }: Known): boolean {
  const reading = tally.readingOf(tally.entries[message]!);
  return !exposes(reading, range, sources.redact) && !(path !== undefined && looksMade(path));
}

/** Which options each identifier has. */
function createIndex(tally: Tally, work: (number: number) => readonly number[]) {
  /** How many messages held the identifier when its options were worked out. */
  const counts: number[] = [];
  const [starts, ends, listed]: [number[], number[], number[]] = [[], [], []];
  /** For each option: the last round of asking that listed it. */
  const rounds: number[] = [];
  let round = 0;
  const learn = (number: number): void => {
    const own = work(number);
    counts[number] = tally.counts[number]!;
    starts[number] = listed.length;
    ends[number] = listed.push(...own);
  };
  const of = (numbers: readonly number[]): readonly number[] => {
    round++;
    const found: number[] = [];
    for (let asked = 0; asked < numbers.length; asked++) {
      const number = numbers[asked]!;
      if (counts[number] !== tally.counts[number]) learn(number);
      for (let at = starts[number]!; at < ends[number]!; at++) {
        const option = listed[at]!;
        if (rounds[option] === round) continue;
        rounds[option] = round;
        found.push(option);
      }
    }
    return found;
  };
  return { of };
}

/** A line of paths names its tool once for about so many characters. */
const TOOL_NAME_SHARED_BY_CHARS = 16;

/** What each option weighs, and the line that names its source; anew when the measure is another. */
function createScales({ entries, readingOf }: Tally) {
  const [tokens, sources, leads]: [number[], number[], number[]] = [[], [], []];
  let measure: Measure | undefined;
  const known = new Map<string, number>();
  const sourceOf = (source: string): number => {
    let number = known.get(source);
    if (number === undefined) {
      known.set(source, (number = known.size));
      leads.push(measure!.text(`@ ${source}\n`));
    }
    return number;
  };
  const weigh = ({ range, tool, path, message, source }: Option): void => {
    sources.push(sourceOf(source));
    if (path !== undefined) tokens.push(measure!.text(`${path}, `) + (tool!.length + 3) / TOOL_NAME_SHARED_BY_CHARS);
    else tokens.push(measure!.text(`${readingOf(entries[message]!).text.slice(range.start, range.end)}\n`));
  };
  /** Whether that is another than before. */
  const weighWith = (next: Measure, options: readonly Option[]): boolean => {
    if (measure === next) return false;
    measure = next;
    for (const list of [tokens, sources, leads]) list.length = 0;
    known.clear();
    options.forEach(weigh);
    return true;
  };
  return { tokens, sources, leads, weigh, weighWith };
}

interface Stretch extends Range {
  readonly message: number;
  readonly source: string;
  readonly tokens: number;
}

/** A stretch of a message as an excerpt. */
export function excerptOf(tally: Tally, { message, start, end, source, tokens }: Stretch): Excerpt {
  const reading = tally.readingOf(tally.entries[message]!);
  const { starts, ends, which } = reading.mentions;
  const names: number[] = [];
  for (let at = firstFrom(starts, start); at < starts.length && ends[at]! <= end; at++)
    names.push(tally.numberOf(reading, which[at]!));
  return { message, at: start, source, text: reading.text.slice(start, end), tokens, names };
}

interface Making {
  readonly quotes: Quotes;
  readonly known: Known;
  /** Adds an option to the book, and says its number. */
  readonly add: (option: Option) => number;
  /** The same for a quote, which may be there already. */
  readonly addQuote: (key: number, make: () => Option) => number;
}

/** Every way to tie one identifier: a line of paths, or a quote from one of its places. */
function optionsFor(number: number, { quotes, known, add, addQuote }: Making): readonly number[] {
  const { tally, sources } = known;
  const found: number[] = [];
  const { kind, places } = tally.standings[number]!;
  for (let at = Math.max(0, places.length - 2 * PLACES_MAX); at < places.length; at += 2) {
    const message = places[at]!;
    const entry = tally.entries[message]!;
    const reading = tally.readingOf(entry);
    const { starts, ends } = reading.mentions;
    let mention = reading.first[places[at + 1]!]!;
    for (let seen = 0; mention >= 0 && seen < MENTIONS_A_PLACE_MAX; seen++, mention = reading.next[mention]!) {
      const place = { start: starts[mention]!, end: ends[mention]! };
      const tool = kind === "path" && seen === 0 ? sources.toolAt(entry, place.start) : undefined;
      if (tool !== undefined) {
        const path = sources.pathAround(reading.text, place);
        found.push(add({ kind: "path", message, range: place, source: PATHS_SOURCE, ties: [number], tool, path }));
      }
      const quote = quotes.around(reading, mention);
      if (quote === undefined) continue;
      const { range } = quote;
      const make = (): Option => {
        const ties = quote.ties.map((local) => tally.numberOf(reading, local));
        // By where the quote ends, and not by who asked first: several identifiers may share it.
        const source = sources.labelAt(entry, range.end - 1);
        return { kind: "lines", message, range, source, ties, tool: undefined, path: undefined };
      };
      const option = addQuote(keyOf(message, range), make);
      if (!found.includes(option)) found.push(option);
    }
  }
  return found;
}

const CHARS_PER_MESSAGE_MAX = 2 ** 24;
const CHARS_PER_QUOTE_MAX = 2 ** 10;

function keyOf(message: number, { start, end }: Range): number {
  return (message * CHARS_PER_MESSAGE_MAX + start) * CHARS_PER_QUOTE_MAX + (end - start);
}
