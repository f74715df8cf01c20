/**
 * The candidates for excerpts: the passages around identifiers, each worked out once and again only when an identifier
 * is mentioned again. They are numbered, and what the selection asks of every one is kept in arrays: it walks a thousand of them.
 */
import { holdsProgramWarning } from "../digest/program-warning.ts";
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt } from "./excerpt.ts";
import { errorLinesIn } from "./error-lines.ts";
import { revealsKeyBlock } from "./exposure.ts";
import { shapeOf } from "./error-lines.ts";
import type { Range } from "./identifiers.ts";
import { firstFrom, heldBy, type Quotes } from "./passages.ts";
import { runOutcomeOf } from "../ledger/run-outcomes.ts";
import { standaloneShare } from "./standalone.ts";
import type { Sources } from "./sources.ts";
import type { Occurrences } from "./occurrences.ts";

const MENTIONS_A_PLACE_MAX = 3;
/** The newest messages that hold a name; older ones tie it no better. */
const PLACES_MAX = 3;

export interface Candidate {
  readonly message: number;
  readonly range: Range;
  readonly source: string;
  /** Numbers of the identifiers that it holds. */
  readonly binds: readonly number[];
}

/** The candidates of one conversation. A quote that several identifiers share is one candidate. */
export interface CandidateTable {
  readonly candidates: readonly Candidate[];
  /** Of what each candidate says, with its line break or comma. */
  readonly tokens: readonly number[];
  /** The number of the source of each candidate; and for each source, the tokens of the line that names it. */
  readonly sources: readonly number[];
  readonly sourceLineTokens: readonly number[];
  /** Where a quote is: the message, the start and the end. */
  readonly messages: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** How much of its names' worth a quote has: less where it names them without a word about them. */
  readonly shares: readonly number[];
  /** What candidate n binds: `binds[bindStarts[n] .. bindStarts[n + 1])`. */
  readonly binds: readonly number[];
  readonly bindStarts: readonly number[];
  /** Those of some identifiers, each once, in order. */
  readonly of: (numbers: readonly number[]) => readonly number[];
  /** The lines that report errors, the newest messages first. */
  readonly errors: () => readonly number[];
  /** Whether a candidate reports an error. */
  readonly isError: (candidate: number) => boolean;
  /** The number of its shape: lines of one message that differ only in their values have the same. */
  readonly shapeOf: (candidate: number) => number;
  /** What a stretch of the candidate's message weighs as a line of its own. */
  readonly weigh: (candidate: number, stretch: Range) => number;
  /** A quote as it is by itself: the same object as long as nothing changes. */
  readonly quoted: (candidate: number) => Excerpt;
  /** Whether it shows no secret that only its surroundings give away. */
  readonly isSafe: (candidate: number) => boolean;
}

export interface AlreadyKnown {
  readonly occurrences: Occurrences;
  readonly sources: Sources;
}

export interface CandidateKeeper {
  /** The table of a conversation, weighed with `measure`; the last one is continued where only its end is new. */
  readonly tableFor: (known: AlreadyKnown, measure: Measure) => CandidateTable;
}

export function createCandidateKeeper(quotes: Quotes): CandidateKeeper {
  let last: { readonly known: AlreadyKnown; readonly writer: CandidateTableWriter } | undefined;
  return {
    tableFor: (known, measure) => {
      const { root, redact } = known.sources;
      const before = last?.known;
      const goesOn =
        before?.occurrences === known.occurrences && before.sources.root === root && before.sources.redact === redact;
      const { writer } = goesOn ? last! : (last = { known, writer: createCandidateTable(quotes, known) });
      writer.weighWith(measure);
      return writer.table;
    },
  };
}

interface CandidateTableWriter {
  readonly table: CandidateTable;
  readonly weighWith: (measure: Measure) => void;
}

function createCandidateTable(quotes: Quotes, known: AlreadyKnown): CandidateTableWriter {
  const { occurrences } = known;
  const candidates: Candidate[] = [];
  const [messages, starts, ends]: [number[], number[], number[]] = [[], [], []];
  const shares: number[] = [];
  const binds: number[] = [];
  const bindStarts: number[] = [0];
  const scales = createScales(occurrences);
  const excerpts: (Excerpt | undefined)[] = [];
  const safe: (boolean | undefined)[] = [];
  const numbersOf = new Map<number, number>();
  const add = (candidate: Candidate): number => {
    binds.push(...candidate.binds);
    bindStarts.push(binds.length);
    messages.push(candidate.message);
    starts.push(candidate.range.start);
    ends.push(candidate.range.end);
    shares.push(standaloneShare(occurrences.readingOf(occurrences.entries[candidate.message]!).text, candidate.range));
    scales.weigh(candidate);
    return candidates.push(candidate) - 1;
  };
  const addQuote = (key: number, make: () => Candidate): number => {
    let number = numbersOf.get(key);
    if (number === undefined) numbersOf.set(key, (number = add(make())));
    return number;
  };
  const index = createIndex(occurrences, (number) => candidatesFor(number, { quotes, known, addQuote }));
  const { tokens, sources, sourceLineTokens } = scales;
  const errors = createErrorCandidates({ quotes, known, addQuote });
  return {
    weighWith: (measure) => {
      if (scales.weighWith(measure, candidates)) excerpts.length = 0;
    },
    table: {
      candidates,
      tokens,
      sources,
      sourceLineTokens,
      messages,
      starts,
      ends,
      shares,
      binds,
      bindStarts,
      of: index.of,
      errors: errors.all,
      isError: errors.has,
      shapeOf: createShapeNumbers(occurrences, candidates),
      weigh: (number, stretch) => scales.stretch(candidates[number]!.message, stretch),
      quoted: (number) => {
        const { range, ...candidate } = candidates[number]!;
        return (excerpts[number] ??= excerptOf(occurrences, { ...candidate, ...range, tokens: tokens[number]! }));
      },
      isSafe: (number) => (safe[number] ??= showsNoSecret(candidates[number]!, known)),
    },
  };
}

/** Numbers the shapes of candidates when they are first asked for. */
function createShapeNumbers(
  { entries, readingOf }: Occurrences,
  candidates: readonly Candidate[],
): (candidate: number) => number {
  const known = new Map<string, number>();
  const shapes: (number | undefined)[] = [];
  return (candidate) => {
    let number = shapes[candidate];
    if (number === undefined) {
      const { message, range } = candidates[candidate]!;
      const shape = `${message} ${shapeOf(readingOf(entries[message]!).text.slice(range.start, range.end))}`;
      number = known.get(shape);
      if (number === undefined) known.set(shape, (number = known.size));
      shapes[candidate] = number;
    }
    return number;
  };
}

function showsNoSecret({ message, range }: Candidate, { occurrences, sources }: AlreadyKnown): boolean {
  return !revealsKeyBlock(occurrences.readingOf(occurrences.entries[message]!), range, sources.redact);
}

/** Which candidates each identifier has. */
function createIndex(occurrences: Occurrences, work: (number: number) => readonly number[]) {
  /** How many messages held the identifier when its candidates were worked out. */
  const counts: number[] = [];
  const [starts, ends, listed]: [number[], number[], number[]] = [[], [], []];
  /** For each candidate: the last round of asking that listed it. */
  const rounds: number[] = [];
  let round = 0;
  const learn = (number: number): void => {
    const own = work(number);
    counts[number] = occurrences.counts[number]!;
    starts[number] = listed.length;
    ends[number] = listed.push(...own);
  };
  const of = (numbers: readonly number[]): readonly number[] => {
    round++;
    const found: number[] = [];
    for (let asked = 0; asked < numbers.length; asked++) {
      const number = numbers[asked]!;
      if (counts[number] !== occurrences.counts[number]) learn(number);
      for (let at = starts[number]!; at < ends[number]!; at++) {
        const candidate = listed[at]!;
        if (rounds[candidate] === round) continue;
        rounds[candidate] = round;
        found.push(candidate);
      }
    }
    return found;
  };
  return { of };
}

/** Candidates that were joined, and what they weigh together: most are joined again in the next handoff. */
const STRETCHES_MAX = 10_000;

/** What each candidate weighs, and the line that names its source; again when the measure is another. */
function createScales({ entries, readingOf }: Occurrences) {
  const [tokens, sources, sourceLineTokens]: [number[], number[], number[]] = [[], [], []];
  let measure: Measure | undefined;
  const known = new Map<string, number>();
  const sourceOf = (source: string): number => {
    let number = known.get(source);
    if (number === undefined) {
      known.set(source, (number = known.size));
      sourceLineTokens.push(measure!.text(`@ ${source}\n`));
    }
    return number;
  };
  const weigh = ({ range, message, source }: Candidate): void => {
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
  /** Whether it is a different measure than before. */
  const weighWith = (next: Measure, candidates: readonly Candidate[]): boolean => {
    if (measure === next) return false;
    measure = next;
    for (const list of [tokens, sources, sourceLineTokens]) list.length = 0;
    known.clear();
    stretches.clear();
    candidates.forEach(weigh);
    return true;
  };
  return { tokens, sources, sourceLineTokens, weigh, weighWith, stretch };
}

interface LineRange extends Range {
  readonly message: number;
  readonly source: string;
  readonly tokens: number;
}

/** A stretch of a message as an excerpt. */
export function excerptOf(occurrences: Occurrences, { message, start, end, source, tokens }: LineRange): Excerpt {
  const reading = occurrences.readingOf(occurrences.entries[message]!);
  const { starts, ends, which } = reading.mentions;
  const names: number[] = [];
  for (let at = firstFrom(starts, start); at < starts.length && ends[at]! <= end; at++)
    names.push(occurrences.numberOf(reading, which[at]!));
  return { message, at: start, source, text: reading.text.slice(start, end), tokens, names };
}

interface Making {
  readonly quotes: Quotes;
  readonly known: AlreadyKnown;
  /** Adds a quote to the table, which may hold it already, and says its number. */
  readonly addQuote: (key: number, make: () => Candidate) => number;
}

/** Every passage around one identifier, at its newest places. */
function candidatesFor(number: number, { quotes, known, addQuote }: Making): readonly number[] {
  const { occurrences, sources } = known;
  const found: number[] = [];
  const { places } = occurrences.standings[number]!;
  for (let at = Math.max(0, places.length - 2 * PLACES_MAX); at < places.length; at += 2) {
    const message = places[at]!;
    const entry = occurrences.entries[message]!;
    const reading = occurrences.readingOf(entry);
    const { starts } = reading.mentions;
    const isSpoken = entry.message.role === "assistant";
    let mention = reading.first[places[at + 1]!]!;
    for (let seen = 0; mention >= 0 && seen < MENTIONS_A_PLACE_MAX; seen++, mention = reading.next[mention]!) {
      const place = starts[mention]!;
      if (!sources.tellsAt(entry, place)) continue;
      const quote = quotes.around(reading, mention);
      if (quote === undefined) continue;
      const { range } = quote;
      if (isSpoken && holdsProgramWarning(reading.text.slice(range.start, range.end))) continue;
      const make = (): Candidate => {
        const binds = quote.holds.map((local) => occurrences.numberOf(reading, local));
        // By where the quote ends, and not by who asked first: several identifiers may share it.
        return { message, range, source: sources.labelAt(entry, range.end - 1), binds };
      };
      const candidate = addQuote(keyOf(message, range), make);
      if (!found.includes(candidate)) found.push(candidate);
    }
  }
  return found;
}

/** More are noise of their own. */
const ERRORS_MAX = 200;

/** Which candidates report errors: looked for once a message. */
function createErrorCandidates({ known, addQuote }: Making) {
  const { occurrences, sources } = known;
  const found = new Set<number>();
  /** By candidate, without gaps: what asks for every candidate asks an array. */
  const reports: boolean[] = [];
  let newest: readonly number[] = [];
  let read = 0;
  const learn = (message: number): void => {
    const entry = occurrences.entries[message]!;
    const reading = occurrences.readingOf(entry);
    for (const range of errorLinesIn(reading.text, entry.call, (text) => runOutcomeOf(entry.message, text))) {
      const binds = heldBy(reading, range).map((local) => occurrences.numberOf(reading, local));
      const make = (): Candidate => ({ message, range, source: sources.labelAt(entry, range.end - 1), binds });
      const candidate = addQuote(keyOf(message, range), make);
      found.add(candidate);
      while (reports.length <= candidate) reports.push(false);
      reports[candidate] = true;
    }
  };
  return {
    all: (): readonly number[] => {
      if (read === occurrences.entries.length) return newest;
      for (; read < occurrences.entries.length; read++)
        if (occurrences.entries[read]!.message.role === "tool") learn(read);
      newest = [...found].slice(-ERRORS_MAX).toReversed();
      return newest;
    },
    has: (candidate: number): boolean => reports[candidate] === true,
  };
}

const CHARS_PER_MESSAGE_MAX = 2 ** 24;
const CHARS_PER_QUOTE_MAX = 2 ** 10;

function keyOf(message: number, { start, end }: Range): number {
  return (message * CHARS_PER_MESSAGE_MAX + start) * CHARS_PER_QUOTE_MAX + (end - start);
}
