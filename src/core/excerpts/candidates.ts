/**
 * The candidates for excerpts: the passages around identifiers, each worked out once and again only when an identifier
 * is mentioned anew. They are numbered, and what the selection asks of every one is kept in arrays: it walks a thousand of them.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt } from "./excerpt.ts";
import { errorLinesIn } from "./error-lines.ts";
import { exposes } from "./exposure.ts";
import { shapeOf } from "./error-lines.ts";
import type { Range } from "./identifiers.ts";
import { plainWordsIn } from "./passages.ts";
import { firstFrom, heldBy, type Quotes } from "./passages.ts";
import { runOutcomeOf } from "../ledger/run-outcomes.ts";
import type { Sources } from "./sources.ts";
import type { Tally } from "./occurrences.ts";

const MENTIONS_A_PLACE_MAX = 3;
/** The newest messages that hold a name; older ones tie it no better. */
const PLACES_MAX = 3;

export interface Option {
  readonly message: number;
  readonly range: Range;
  readonly source: string;
  /** Numbers of the identifiers that it holds. */
  readonly ties: readonly number[];
}

/** The options of one conversation. A quote that several identifiers share is one option. */
export interface Book {
  readonly options: readonly Option[];
  /** Of what each option says, with its line break or comma. */
  readonly tokens: readonly number[];
  /** The number of the source of each option; and for each source, the tokens of the line that names it. */
  readonly sources: readonly number[];
  readonly leads: readonly number[];
  /** Where a quote stands: the message, the start and the end. */
  readonly messages: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** How much of its names' worth a quote has: less where it names them without a word about them. */
  readonly shares: readonly number[];
  /** What option n ties: `ties[tieStarts[n] .. tieStarts[n + 1])`. */
  readonly ties: readonly number[];
  readonly tieStarts: readonly number[];
  /** Those of some identifiers, each once, in order. */
  readonly of: (numbers: readonly number[]) => readonly number[];
  /** The lines that report errors, the newest messages first. */
  readonly errors: () => readonly number[];
  /** Whether a candidate reports an error. */
  readonly isError: (option: number) => boolean;
  /** The number of its shape: lines of one message that differ only in their values have the same. */
  readonly shapeOf: (option: number) => number;
  /** What a stretch of the option's message weighs as a line of its own. */
  readonly weigh: (option: number, stretch: Range) => number;
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
  const shares: number[] = [];
  const ties: number[] = [];
  const tieStarts: number[] = [0];
  const scales = createScales(tally);
  const excerpts: (Excerpt | undefined)[] = [];
  const safe: (boolean | undefined)[] = [];
  const numbersOf = new Map<number, number>();
  const add = (option: Option): number => {
    ties.push(...option.ties);
    tieStarts.push(ties.length);
    messages.push(option.message);
    starts.push(option.range.start);
    ends.push(option.range.end);
    shares.push(sharesIn(tally.readingOf(tally.entries[option.message]!).text, option.range));
    scales.weigh(option);
    return options.push(option) - 1;
  };
  const addQuote = (key: number, make: () => Option): number => {
    let number = numbersOf.get(key);
    if (number === undefined) numbersOf.set(key, (number = add(make())));
    return number;
  };
  const index = createIndex(tally, (number) => optionsFor(number, { quotes, known, addQuote }));
  const { tokens, sources, leads } = scales;
  const errors = createErrorOptions({ quotes, known, addQuote });
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
      shares,
      ties,
      tieStarts,
      of: index.of,
      errors: errors.all,
      isError: errors.has,
      shapeOf: createShapeNumbers(tally, options),
      weigh: (number, stretch) => scales.stretch(options[number]!.message, stretch),
      quoted: (number) => {
        const option = options[number]!;
        return (excerpts[number] ??= excerptOf(tally, { ...option, ...option.range, tokens: tokens[number]! }));
      },
      isSafe: (number) => (safe[number] ??= showsNoSecret(options[number]!, known)),
    },
  };
}

/** Numbers the shapes of options when they are first asked for. */
function createShapeNumbers({ entries, readingOf }: Tally, options: readonly Option[]): (option: number) => number {
  const known = new Map<string, number>();
  const shapes: (number | undefined)[] = [];
  return (option) => {
    let number = shapes[option];
    if (number === undefined) {
      const { message, range } = options[option]!;
      const shape = `${message} ${shapeOf(readingOf(entries[message]!).text.slice(range.start, range.end))}`;
      number = known.get(shape);
      if (number === undefined) known.set(shape, (number = known.size));
      shapes[option] = number;
    }
    return number;
  };
}

const WORDLESS_SHARE = 0.5;
const WORDS_ENOUGH = 2;

function sharesIn(text: string, range: Range): number {
  return plainWordsIn(text, range) >= WORDS_ENOUGH ? 1 : WORDLESS_SHARE;
}

function showsNoSecret({ message, range }: Option, { tally, sources }: Known): boolean {
  return !exposes(tally.readingOf(tally.entries[message]!), range, sources.redact);
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

/** Options that were joined, and what they weigh together: most are joined again in the next handoff. */
const STRETCHES_MAX = 10_000;

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
  const weigh = ({ range, message, source }: Option): void => {
    sources.push(sourceOf(source));
    tokens.push(measure!.text(`${readingOf(entries[message]!).text.slice(range.start, range.end)}\n`));
  };
  const stretches = new Map<string, number>();
  const stretch = (message: number, { start, end }: Range): number => {
    const key = `${message} ${start} ${end}`;
    let weight = stretches.get(key);
    if (weight === undefined) {
      if (stretches.size >= STRETCHES_MAX) stretches.clear();
      weight = measure!.text(`${readingOf(entries[message]!).text.slice(start, end)}\n`);
      stretches.set(key, weight);
    }
    return weight;
  };
  /** Whether that is another than before. */
  const weighWith = (next: Measure, options: readonly Option[]): boolean => {
    if (measure === next) return false;
    measure = next;
    for (const list of [tokens, sources, leads]) list.length = 0;
    known.clear();
    stretches.clear();
    options.forEach(weigh);
    return true;
  };
  return { tokens, sources, leads, weigh, weighWith, stretch };
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
  /** Adds a quote to the book, which may hold it already, and says its number. */
  readonly addQuote: (key: number, make: () => Option) => number;
}

/** Every passage around one identifier, at its newest places. */
function optionsFor(number: number, { quotes, known, addQuote }: Making): readonly number[] {
  const { tally, sources } = known;
  const found: number[] = [];
  const { places } = tally.standings[number]!;
  for (let at = Math.max(0, places.length - 2 * PLACES_MAX); at < places.length; at += 2) {
    const message = places[at]!;
    const entry = tally.entries[message]!;
    const reading = tally.readingOf(entry);
    const { starts } = reading.mentions;
    let mention = reading.first[places[at + 1]!]!;
    for (let seen = 0; mention >= 0 && seen < MENTIONS_A_PLACE_MAX; seen++, mention = reading.next[mention]!) {
      const place = starts[mention]!;
      if (!sources.tellsAt(entry, place)) continue;
      const quote = quotes.around(reading, mention);
      if (quote === undefined) continue;
      const { range } = quote;
      const make = (): Option => {
        const ties = quote.holds.map((local) => tally.numberOf(reading, local));
        // By where the quote ends, and not by who asked first: several identifiers may share it.
        return { message, range, source: sources.labelAt(entry, range.end - 1), ties };
      };
      const option = addQuote(keyOf(message, range), make);
      if (!found.includes(option)) found.push(option);
    }
  }
  return found;
}

/** More are noise of their own. */
const ERRORS_MAX = 200;

/** Which candidates report errors: looked for once a message. */
function createErrorOptions({ known, addQuote }: Making) {
  const { tally, sources } = known;
  const found = new Set<number>();
  /** By option: what asks for every candidate asks an array. */
  const reports: boolean[] = [];
  let newest: readonly number[] = [];
  let read = 0;
  const learn = (message: number): void => {
    const entry = tally.entries[message]!;
    const reading = tally.readingOf(entry);
    for (const range of errorLinesIn(reading.text, entry.call, (text) => runOutcomeOf(entry.message, text))) {
      const ties = heldBy(reading, range).map((local) => tally.numberOf(reading, local));
      const make = (): Option => ({ message, range, source: sources.labelAt(entry, range.end - 1), ties });
      const option = addQuote(keyOf(message, range), make);
      found.add(option);
      reports[option] = true;
    }
  };
  return {
    all: (): readonly number[] => {
      if (read === tally.entries.length) return newest;
      for (; read < tally.entries.length; read++) if (tally.entries[read]!.message.role === "tool") learn(read);
      newest = [...found].slice(-ERRORS_MAX).toReversed();
      return newest;
    },
    has: (option: number): boolean => reports[option] === true,
  };
}

const CHARS_PER_MESSAGE_MAX = 2 ** 24;
const CHARS_PER_QUOTE_MAX = 2 ** 10;

function keyOf(message: number, { start, end }: Range): number {
  return (message * CHARS_PER_MESSAGE_MAX + start) * CHARS_PER_QUOTE_MAX + (end - start);
}
