/**
 * How every store searches: candidates first that hold all words, and where those are too few also those that hold any; the
 * newest of them, ranked by the core. A store only says how it finds candidates.
 */
import { rankPlaces, type Candidate, type RankedPassage } from "../core/recall/ranking.ts";
import { folded, holdsTerm, mayHoldTerm, parseQuery, tokensOf, type Query } from "../core/recall/words.ts";
import type { SearchScope } from "./store.ts";

export interface WordSearch extends SearchScope {
  readonly words: string;
  readonly limit: number;
}

/** That many candidates of each kind are ranked, the newest. */
export const CANDIDATES_MAX = 2_000;

export interface SearchCondition {
  readonly query: Query;
  /** All words, or any of them. */
  readonly demand: "all" | "any";
  /** The same without an index. */
  readonly meets: (text: string) => boolean;
}

export interface Archive<Key> {
  /** The newest first. */
  readonly find: (wanted: SearchCondition) => Iterable<Candidate<Key>>;
  /** The same for the same thing, however often it is found. */
  readonly idOf: (key: Key) => unknown;
}

/** Yields conditions, is given candidates, and returns the places when it has enough. */
type Steps<Key> = Generator<SearchCondition, readonly RankedPassage<Key>[], Iterable<Candidate<Key>>>;

/** Best first; the limit is the caller's to keep, because several places may be of one thing. */
export function searchIn<Key>(search: WordSearch, { find, idOf }: Archive<Key>): readonly RankedPassage<Key>[] {
  const steps = searchSteps(search, idOf);
  let step = steps.next();
  while (step.done !== true) step = steps.next(find(step.value));
  return step.value;
}

/** The same step by step, where candidates have to be waited for. */
export function* searchSteps<Key>(search: WordSearch, idOf: Archive<Key>["idOf"]): Steps<Key> {
  const query = parseQuery(search.words);
  if (query === undefined) return [];
  const found = new Map<unknown, Candidate<Key>>();
  const take = (candidates: Iterable<Candidate<Key>>): void => {
    let taken = 0;
    for (const candidate of candidates) {
      found.set(idOf(candidate.key), candidate);
      if (++taken >= CANDIDATES_MAX) break;
    }
  };
  const condition = (demand: SearchCondition["demand"]): SearchCondition => {
    return { query, demand, meets: meeting(query, demand) };
  };
  take(yield condition("all"));
  if (search.literally === true)
    return [...found.values()].filter(({ text }) => holdsLiterally(text, search.words)).map(asPlace);
  if (found.size < search.limit && query.terms.length > 1) take(yield condition("any"));
  return rankPlaces([...found.values()], query, { limit: found.size, repeats: true });
}

function meeting({ terms }: Query, demand: SearchCondition["demand"]): SearchCondition["meets"] {
  return (text) => {
    const plain = folded(text);
    const likely = terms.filter((term) => mayHoldTerm(plain, term));
    if (likely.length < (demand === "all" ? terms.length : 1)) return false;
    const tokens = tokensOf(text);
    const held = likely.filter((term) => holdsTerm(tokens, term)).length;
    return held >= (demand === "all" ? terms.length : 1);
  };
}

function holdsLiterally(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

function asPlace<Key>({ key, text }: Candidate<Key>): RankedPassage<Key> {
  return { key, text, missing: [] };
}

/** Each thing once, by its best place. */
export function oneEach<Hit extends { readonly id: string }>(hits: readonly Hit[]): readonly Hit[] {
  const first = new Map<string, Hit>();
  for (const hit of hits) if (!first.has(hit.id)) first.set(hit.id, hit);
  return [...first.values()];
}
