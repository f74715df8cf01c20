/**
 * Excerpts: what a handoff quotes of the original so that the names it will need stand beside what they were about.
 * Chosen by how likely the continuation asks for each name, a token at a time.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Message } from "../transcript/message.ts";
import { mentionsIn } from "./mentions.ts";
import { probabilities, sceneOf } from "./ranking.ts";
import { tiedBy } from "./present.ts";
import { selectExcerpts } from "./selection.ts";
import { createSources } from "./sources.ts";
import { createTallyKeeper } from "./tally.ts";
import type { Weights } from "./ranking.ts";
import { WEIGHTS } from "./weights.ts";

export interface Excerpt {
  /** Index of the message it is taken from. */
  readonly message: number;
  /** Where it comes from, for a reader: `Read src/a.ts`, `user`. */
  readonly source: string;
  /** Verbatim: a phrase, a line, or lines that follow one another. */
  readonly text: string;
  /** With its line break. */
  readonly tokens: number;
}

export interface ExcerptRequest {
  /** Tokens for all excerpts and their sources. */
  readonly budget: number;
  readonly measure: Measure;
  /** The messages to draw from: `messages[from .. until)`; all where not given. */
  readonly from?: number;
  readonly until?: number;
  /** What stands in the result anyway: names in it need no excerpt. */
  readonly present: string;
  /** Words of the task beyond the live request. */
  readonly focus: readonly string[];
}

/** What a result is likely to be asked for and does not hold. */
export interface Missing {
  readonly paths: number;
  readonly identifiers: number;
  readonly examples: readonly string[];
}

export interface Evidence {
  /** Best first; at most `budget` tokens with one line of `measure` a distinct source. */
  readonly excerpts: (messages: readonly Message[], request: ExcerptRequest) => readonly Excerpt[];
  readonly missing: (messages: readonly Message[], resultText: string) => Missing;
  /** How likely the continuation is to ask for each identifier, 0 to 1; 0 for those that stand nearly everywhere. */
  readonly probabilities: (messages: readonly Message[]) => ReadonlyMap<string, number>;
}

const EXAMPLES_MAX = 8;
/** From here on an identifier counts as likely: about one in five of such names is asked for. */
const LIKELY_MIN = 0.2;

/** Remembers what it has read of each message, and the fold of the last conversation it saw. */
export function createEvidence(weights: Weights = WEIGHTS): Evidence {
  const keeper = createTallyKeeper();
  return {
    excerpts: (messages, request) => {
      const tally = keeper.tallyOf(messages);
      const scores = probabilities(sceneOf(messages, tally, request.focus), weights);
      const sources = createSources(tally);
      for (const number of tiedBy(request.present, { tally, sources, matters: (number) => scores[number]! > 0 }))
        scores[number] = 0;
      return selectExcerpts({ tally, sources, scores }, request);
    },
    missing: (messages, resultText) => {
      const tally = keeper.tallyOf(messages);
      const scores = probabilities(sceneOf(messages, tally), weights);
      const held = new Set(mentionsIn(resultText).ids);
      const lost = tally.standings
        .map(({ id, kind }, at) => ({ id, kind, score: scores[at]! }))
        .filter(({ id, score }) => score >= LIKELY_MIN && !held.has(id))
        .toSorted((a, b) => b.score - a.score);
      const paths = lost.filter(({ kind }) => kind === "path").length;
      return { paths, identifiers: lost.length - paths, examples: lost.slice(0, EXAMPLES_MAX).map(({ id }) => id) };
    },
    probabilities: (messages) => {
      const tally = keeper.tallyOf(messages);
      const scores = probabilities(sceneOf(messages, tally), weights);
      return new Map(tally.standings.map(({ id }, at) => [id, scores[at]!]));
    },
  };
}
