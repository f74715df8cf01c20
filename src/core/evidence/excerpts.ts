/**
 * Excerpts: what a handoff quotes of the original so that the names it will need stand beside what they were about.
 * Chosen by how likely the continuation asks for each name, a token at a time.
 */
import type { Message } from "../transcript/message.ts";
import type { Excerpt, ExcerptRequest, Present } from "./excerpt.ts";
import type { Weights } from "./features.ts";
import { exposes } from "./exposure.ts";
import { mentionsIn } from "./mentions.ts";
import { createRanking, sceneOf } from "./ranking.ts";
import type { Range } from "./names.ts";
import { createOptions } from "./options.ts";
import { dropTiedBy, dropTiedIn } from "./present.ts";
import { createQuotes } from "./quotes.ts";
import { selectExcerpts } from "./selection.ts";
import { createSources } from "./sources.ts";
import { createTallyKeeper, type Tally } from "./tally.ts";
import { WEIGHTS } from "./weights.ts";

export type { Excerpt, ExcerptRequest, Present } from "./excerpt.ts";

/** A name that a result is likely to be asked for and does not hold. */
export interface Missing {
  readonly id: string;
  readonly isPath: boolean;
  /** Messages that hold it. */
  readonly messages: readonly number[];
  /** Whether it is no piece of a secret, where it stands first. */
  readonly isSafe: (redact: (text: string) => string) => boolean;
}

export interface Evidence {
  /** Best first; at most `budget` tokens with one line of `measure` a distinct source. */
  readonly excerpts: (messages: readonly Message[], request: ExcerptRequest) => readonly Excerpt[];
  /** Likeliest first. */
  readonly missing: (messages: readonly Message[], result: Present) => readonly Missing[];
  /** How likely the continuation is to ask for each identifier, 0 to 1; 0 for those that stand nearly everywhere. */
  readonly probabilities: (messages: readonly Message[]) => ReadonlyMap<string, number>;
}

/** What a result holds: 1 for each identifier, by its number, known to stand in it; and the text that may hold others. */
interface Held {
  readonly standing: Uint8Array;
  readonly text: string;
}

/** From here on an identifier counts as likely: about one in five of such names is asked for. */
const LIKELY_MIN = 0.2;

/** Remembers what it has read of each message, and the fold of the last conversation it saw. */
export function createEvidence(weights: Weights = WEIGHTS): Evidence {
  const ranking = createRanking(weights);
  const keeper = createTallyKeeper();
  const quotes = createQuotes();
  const options = createOptions(quotes);
  let last:
    | { readonly messages: number; readonly tally: Tally; readonly focus: string; readonly scores: Float64Array }
    | undefined;
  const scoresOf = (messages: readonly Message[], tally: Tally, focus: readonly string[]): Float64Array => {
    const words = focus.join(" ");
    if (last?.tally !== tally || last.messages !== messages.length || last.focus !== words) {
      const scores = ranking.probabilities(sceneOf(messages, tally, focus));
      last = { messages: messages.length, tally, focus: words, scores };
    }
    return last.scores;
  };
  return {
    excerpts: (messages, request) => {
      const tally = keeper.tallyOf(messages);
      const scores = scoresOf(messages, tally, request.focus).slice();
      const sources = createSources(tally, request.redact ?? asItIs);
      const { standing, text } = request.present;
      dropTiedIn(keeper.entriesOf(standing), quotes, scores);
      dropTiedBy(text, { tally, sources }, scores);
      return selectExcerpts({ tally, sources, options, scores }, request);
    },
    missing: (messages, result) => {
      const tally = keeper.tallyOf(messages);
      const scores =
        last?.tally === tally && last.messages === messages.length ? last.scores : scoresOf(messages, tally, []);
      const standing = new Uint8Array(tally.standings.length);
      for (const { numbers } of keeper.entriesOf(result.standing)) for (const number of numbers) standing[number] = 1;
      for (const { names = [] } of result.excerpts ?? []) for (const number of names) standing[number] = 1;
      return missingFrom(tally, scores, { standing, text: result.text });
    },
    probabilities: (messages) => {
      const tally = keeper.tallyOf(messages);
      const scores = scoresOf(messages, tally, []);
      return new Map(tally.standings.map(({ id }, at) => [id, scores[at]!]));
    },
  };
}

const asItIs = (text: string): string => text;

/** Likely names that a result does not hold, tied or not. */
function missingFrom(tally: Tally, scores: Float64Array, { standing, text }: Held): readonly Missing[] {
  const lost: (Missing & { readonly score: number })[] = [];
  // Reading the text once costs less than a few searches of it; a name inside a longer one is found by search alone.
  const named = new Set(mentionsIn(text).ids);
  for (let at = 0; at < scores.length; at++) {
    if (scores[at]! < LIKELY_MIN || standing[at] === 1) continue;
    const { id, kind, places } = tally.standings[at]!;
    if (named.has(id) || text.includes(id)) continue;
    const messages = places.filter((_, place) => place % 2 === 0);
    const isSafe: Missing["isSafe"] = (redact) => !exposes(...placeOf(places, tally), redact);
    lost.push({ id, isPath: kind === "path", messages, isSafe, score: scores[at]! });
  }
  return lost.sort((a, b) => b.score - a.score).map(({ score: _, ...missing }) => missing);
}

/** The text of the message that an identifier stands in first, and where it stands there. */
function placeOf(places: readonly number[], { entries }: Tally): [text: string, place: Range] {
  const { text, mentions, first } = entries[places[0]!]!.reading;
  const mention = first[places[1]!]!;
  return [text, { start: mentions.starts[mention]!, end: mentions.ends[mention]! }];
}
