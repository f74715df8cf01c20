/**
 * Finds the places in texts that hold the words of a query, best first: those that hold all of them near one another, then
 * those that hold most. What a word counts for follows from how rare it is among the texts (BM25's inverse document frequency:
 * Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).
 */
import { passagesIn, type Passage } from "./passages.ts";
import { parseQuery, type Query, type Term } from "./words.ts";

export interface Candidate<Key> {
  readonly key: Key;
  readonly text: string;
  /** What its words count for beside those of others; default 1. */
  readonly weight?: number;
}

export interface RankedPassage<Key> {
  readonly key: Key;
  /** What is there, cut at lines or words. */
  readonly text: string;
  /** Words of the query that are not there; those that are elsewhere in the same text are not among them. */
  readonly missing: readonly string[];
}

export interface RankOptions {
  readonly limit: number;
  /** Of one text; default 1. */
  readonly placesPerText?: number;
  /** True: the same words in two texts are two places. */
  readonly repeats?: boolean;
  /** Masks secrets in a text; what is found is looked for again in what this leaves. */
  readonly redact?: (text: string) => string;
}

/** A word that is elsewhere in the same text counts this much of one that is in the place. */
const ELSEWHERE_SHARE = 0.4;
/** A word that is there as it was written counts so much more than another form of it. */
const LITERAL_SHARE = 0.25;
/** What the frequency of words in a text adds, beside which of them it holds. */
const FREQUENCY_SHARE = 0.1;
/** BM25's usual constants. */
const K1 = 1.2;
const B = 0.75;
/** A further place of a text counts less than the first one of another. */
const FURTHER_SHARE = 0.5;

interface Scored<Key> {
  readonly candidate: Candidate<Key>;
  readonly passage: Passage;
  readonly missing: readonly string[];
  readonly whole: boolean;
  readonly score: number;
}

/** Candidates in the order that decides between equals; at most `limit` places. Nothing for a query without a word. */
export function rankPlaces<Key>(
  candidates: readonly Candidate<Key>[],
  words: string | Query,
  { limit, placesPerText = 1, repeats = false, redact }: RankOptions,
): readonly RankedPassage<Key>[] {
  const query = typeof words === "string" ? parseQuery(words) : words;
  if (query === undefined) return [];
  const { terms } = query;
  const all = candidates.map((candidate) => ({ candidate, found: passagesIn(candidate.text, terms, placesPerText) }));
  const most = all.reduce((count, { found }) => Math.max(count, found.held.size), 0);
  const least = leastHeld(terms.length, most);
  const read = all.filter(({ found }) => found.held.size >= least);
  const weights = weightsOf(
    terms,
    read.map(({ found }) => found.held),
    candidates.length,
  );
  const averageLines = read.reduce((sum, { found }) => sum + found.lines, 0) / Math.max(1, read.length);
  const scored = read.flatMap(({ candidate, found }) => {
    const { lines, held } = found;
    const frequency = sumOver(terms, (term) => {
      const count = held.get(term) ?? 0;
      return (weights.get(term)! * count * (K1 + 1)) / (count + K1 * (1 - B + (B * lines) / Math.max(1, averageLines)));
    });
    return found.passages.map((passage, at): Scored<Key> => {
      const there = sumOver(terms, (term) => {
        const weight = weights.get(term)!;
        if (!passage.held.has(term)) return held.has(term) ? weight * ELSEWHERE_SHARE : 0;
        return weight * (passage.literal.has(term) ? 1 + LITERAL_SHARE : 1);
      });
      const score = (there + frequency * FREQUENCY_SHARE) * (candidate.weight ?? 1) * (at === 0 ? 1 : FURTHER_SHARE);
      const missing = terms.filter((term) => !held.has(term)).map(({ word }) => word);
      return { candidate, passage, missing, whole: at === 0 && passage.held.size === terms.length, score };
    });
  });
  // The sort is stable: equals stay in the order of the candidates.
  const best = scored.toSorted((a, b) => Number(b.whole) - Number(a.whole) || b.score - a.score);
  if (repeats)
    return best
      .slice(0, limit)
      .map(({ candidate, passage, missing }) => ({ key: candidate.key, text: passage.text, missing }));
  return shown(best, terms, { limit, ...(redact === undefined ? {} : { redact }) });
}

/** Most of the words; half of them where nothing holds more. */
function leastHeld(terms: number, most: number): number {
  const majority = Math.floor(terms / 2) + 1;
  return most >= majority ? majority : Math.ceil(terms / 2);
}

function sumOver(terms: readonly Term[], of: (term: Term) => number): number {
  return terms.reduce((total, term) => total + of(term), 0);
}

function weightsOf(
  terms: readonly Term[],
  texts: readonly ReadonlyMap<Term, number>[],
  count: number,
): ReadonlyMap<Term, number> {
  return new Map(
    terms.map((term) => {
      const holding = texts.filter((held) => held.has(term)).length;
      return [term, Math.log(1 + (count - holding + 0.5) / (holding + 0.5))];
    }),
  );
}

/** The same words may be in two texts, one of which is a part of the other: each place is shown once. */
function shown<Key>(
  best: readonly Scored<Key>[],
  terms: readonly Term[],
  { limit, redact }: Pick<RankOptions, "limit" | "redact">,
): readonly RankedPassage<Key>[] {
  const places = new Map<string, RankedPassage<Key>>();
  for (const { candidate, passage, missing } of best) {
    if (places.size >= limit) break;
    const text = redact === undefined ? passage.text : redacted(candidate.text, passage, { terms, redact });
    if (text !== undefined && !places.has(text)) places.set(text, { key: candidate.key, text, missing });
  }
  return [...places.values()];
}

/** Secrets are looked for in the whole text, because a part of one does not look like it. */
function redacted(
  whole: string,
  passage: Passage,
  { terms, redact }: { readonly terms: readonly Term[]; readonly redact: (text: string) => string },
): string | undefined {
  const safe = redact(whole);
  return safe === whole ? passage.text : passagesIn(safe, terms, 1).passages[0]?.text;
}
