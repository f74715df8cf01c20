/**
 * Excerpts: what a handoff quotes of the original so that the names it will need are next to what they were about.
 * Chosen by how likely the continuation asks for each name, a token at a time.
 */
import type { Message } from "../transcript/message.ts";
import { createCandidateKeeper } from "./candidates.ts";
import { selectExcerpts } from "./coverage.ts";
import type { Excerpt, ExcerptRequest, VisibleText } from "./excerpt.ts";
import { revealsKeyBlock } from "./exposure.ts";
import type { Range } from "./identifiers.ts";
import { type MessageEntry, type Occurrences, createOccurrencesKeeper } from "./occurrences.ts";
import { createQuotes } from "./passages.ts";
import type { MessageReading } from "./reading.ts";
import { WEIGHTS, type Weights } from "./weights.ts";
import { createRanking, sceneOf } from "./relevance.ts";
import { createSources } from "./sources.ts";

export type { Excerpt, ExcerptRequest, VisibleText } from "./excerpt.ts";

/** A name that a result is likely to be asked for and does not hold. */
export interface MissingName {
  readonly id: string;
  readonly isPath: boolean;
  /** Messages that hold it. */
  readonly messages: readonly number[];
  /** Whether it is no piece of a secret, where it is first. */
  readonly isSafe: (redact: (text: string) => string) => boolean;
}

export interface Evidence {
  /** Best first; at most `budget` tokens with one line of `measure` a distinct source. */
  readonly excerpts: (messages: readonly Message[], request: ExcerptRequest) => readonly Excerpt[];
  /** What it takes to quote every error that was not made good, with the lines that name where they are. */
  readonly errorTokens: (
    messages: readonly Message[],
    request: Pick<ExcerptRequest, "measure" | "settled" | "redact">,
  ) => number;
  /** Likeliest first. */
  readonly missing: (messages: readonly Message[], result: VisibleText) => readonly MissingName[];
  /** How likely the continuation is to ask for each identifier, 0 to 1; 0 for those that stand nearly everywhere. */
  readonly probabilities: (messages: readonly Message[]) => ReadonlyMap<string, number>;
}

/** From here on an identifier counts as likely: about one in five of such names is asked for. */
const LIKELY_MIN = 0.2;

/** Remembers what it has read of messages, up to a bound, and the fold of the last conversation it saw. */
export function createEvidence(weights: Weights = WEIGHTS, readingsBytesMax?: number): Evidence {
  const ranking = createRanking(weights);
  const keeper = createOccurrencesKeeper(readingsBytesMax);
  const quotes = createQuotes();
  const candidates = createCandidateKeeper(quotes);
  let last:
    | {
        readonly messages: number;
        readonly occurrences: Occurrences;
        readonly focus: string;
        readonly scores: Float64Array;
      }
    | undefined;
  const scoresOf = (messages: readonly Message[], occurrences: Occurrences, focus: readonly string[]): Float64Array => {
    const words = focus.join(" ");
    if (last?.occurrences !== occurrences || last.messages !== messages.length || last.focus !== words) {
      const scores = ranking.probabilities(sceneOf(messages, occurrences, focus));
      last = { messages: messages.length, occurrences, focus: words, scores };
    }
    return last.scores;
  };
  return {
    excerpts: (messages, request) => {
      const occurrences = keeper.occurrencesOf(messages);
      const scores = scoresOf(messages, occurrences, request.focus).slice();
      const sources = createSources(occurrences, request.redact ?? asItIs);
      const { standing, text } = request.present;
      dropHeldIn(keeper.entriesOf(standing), occurrences, scores);
      const named = namedIn(text, occurrences);
      lowerNamed(named, scores);
      return selectExcerpts({ occurrences, sources, candidates, scores, named }, request);
    },
    errorTokens: (messages, { measure, settled, redact = asItIs }) => {
      const occurrences = keeper.occurrencesOf(messages);
      const table = candidates.tableFor({ occurrences, sources: createSources(occurrences, redact) }, measure);
      const standing = table.errors().filter((candidate) => settled?.has(table.messages[candidate]!) !== true);
      const sources = new Set(standing.map((candidate) => table.sources[candidate]!));
      return (
        standing.reduce((sum, candidate) => sum + table.tokens[candidate]!, 0) +
        [...sources].reduce((sum, source) => sum + table.sourceLineTokens[source]!, 0)
      );
    },
    missing: (messages, result) => {
      const occurrences = keeper.occurrencesOf(messages);
      const scores =
        last?.occurrences === occurrences && last.messages === messages.length
          ? last.scores
          : scoresOf(messages, occurrences, []);
      return missingFrom(likely(scores).filter(isNotIn(result, occurrences)), { occurrences, scores });
    },
    probabilities: (messages) => {
      const occurrences = keeper.occurrencesOf(messages);
      const scores = scoresOf(messages, occurrences, []);
      return new Map(occurrences.standings.map(({ id }, at) => [id, scores[at]!]));
    },
  };
}

const asItIs = (text: string): string => text;

/** Numbers of the likely identifiers. */
function likely(scores: Float64Array): readonly number[] {
  const numbers: number[] = [];
  for (let number = 0; number < scores.length; number++) if (scores[number]! >= LIKELY_MIN) numbers.push(number);
  return numbers;
}

/** That many names are searched for one by one; for more the text is read first, which costs as much as about that many searches. */
const SEARCHES_MAX = 40;

/** Whether a likely identifier is not in a result, tied or not. */
function isNotIn({ standing, excerpts = [], text }: VisibleText, { entries, standings, eachNamed }: Occurrences) {
  const whole = new Set(standing);
  const named = new Uint8Array(standings.length);
  for (const { names = [] } of excerpts) for (let at = 0; at < names.length; at++) named[names[at]!] = 1;
  let searches = 0;
  return (number: number): boolean => {
    if (named[number] === 1) return false;
    const { id, places } = standings[number]!;
    if (places.some((message, at) => at % 2 === 0 && whole.has(entries[message]!.message))) return false;
    if (searches++ === SEARCHES_MAX) eachNamed(text, (one) => (named[one] = 1));
    // A name inside a longer one is found by search alone.
    return named[number] === 0 && !text.includes(id);
  };
}

/** Likeliest first. */
function missingFrom(
  numbers: readonly number[],
  { occurrences, scores }: { readonly occurrences: Occurrences; readonly scores: Float64Array },
): readonly MissingName[] {
  return numbers
    .toSorted((a, b) => scores[b]! - scores[a]!)
    .map((number) => {
      const { id, kind, places } = occurrences.standings[number]!;
      const messages = places.filter((_, place) => place % 2 === 0);
      return {
        id,
        isPath: kind === "path",
        messages,
        isSafe: (redact) => !revealsKeyBlock(...placeOf(places, occurrences), redact),
      };
    });
}

/** The text of the message that an identifier is in first, and where it is there. */
function placeOf(
  places: readonly number[],
  { entries, readingOf }: Occurrences,
): [reading: MessageReading, place: Range] {
  const reading = readingOf(entries[places[0]!]!);
  const { mentions, first } = reading;
  const mention = first[places[1]!]!;
  return [reading, { start: mentions.starts[mention]!, end: mentions.ends[mention]! }];
}

/** Identifiers of messages that stand as they were are worth nothing more. */
function dropHeldIn(standing: readonly MessageEntry[], occurrences: Occurrences, scores: Float64Array): void {
  for (const entry of standing) {
    const reading = occurrences.readingOf(entry);
    for (let local = 0; local < reading.mentions.names.length; local++)
      scores[occurrences.numberOf(reading, local)] = 0;
  }
}

/** Of what a text names already, that much of the worth is left: its surroundings may still be worth a line. */
const NAMED_SHARE = 0.25;

function lowerNamed(named: Uint8Array, scores: Float64Array): void {
  for (let number = 0; number < named.length; number++) if (named[number] === 1) scores[number]! *= NAMED_SHARE;
}

/** For each identifier whether a text names it: 1 where it does. */
function namedIn(text: string, occurrences: Occurrences): Uint8Array {
  const named = new Uint8Array(occurrences.standings.length);
  occurrences.eachNamed(text, (number) => (named[number] = 1));
  return named;
}
