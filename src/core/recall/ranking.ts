/**
 * Finds the places in texts that hold the words of a query, best first: those that hold all of them near one another, then
 * those that hold most. What a word counts for follows from how rare it is among the texts (BM25's inverse document frequency:
 * Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009). In a conversation, a message also counts for what the
 * messages next to it hold, because an answer seldom repeats the words of its question.
 */
import {
  folded,
  parseQuery,
  type Query,
  type Term,
  holdsTerm,
  mayHoldTerm,
  SEARCHED_CHARS_MAX,
  tokensOf,
} from "./words.ts";
import { isLowHalf } from "./pages.ts";

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
  /** True: it holds none of the words, but it comes directly before or after a message that does. */
  readonly isNeighbour?: boolean;
}

interface RankOptions<Key> {
  readonly limit: number;
  /**
   * Whether a text comes directly after another in a conversation; the candidates of one conversation are in its order. With
   * it, places that hold few of the words follow those that hold most, and neighbours of a place count.
   */
  readonly follows?: (key: Key, before: Key) => boolean;
  /** Of one text; default 1. */
  readonly placesPerText?: number;
  /** True: the same words in two texts are two places. */
  readonly repeats?: boolean;
  /** Masks secrets in a text; what is found is looked for again in what this leaves. */
  readonly redact?: ((text: string) => string) | undefined;
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
/** What the message before and the message after a text add to it, of what each counts for by itself. */
const BEFORE_SHARE = 0.4;
const AFTER_SHARE = 0.2;
/** In a conversation, a place that counts less than this share of the best one is not shown; of one with every word, less than that. */
const LEAST_SHARE = 0.25;
const LEAST_SHARE_OF_WHOLE = 0.33;

interface Read<Key> {
  readonly candidate: Candidate<Key>;
  readonly found: Passages;
}

interface Scored<Key> extends RankedPassage<Key> {
  readonly candidate: Candidate<Key>;
  readonly whole: boolean;
  readonly score: number;
}

/** Candidates in the order that decides between equals; at most `limit` places. Nothing for a query without a word. */
export function rankPlaces<Key>(
  candidates: readonly Candidate<Key>[],
  words: string | Query,
  { limit, placesPerText = 1, repeats = false, redact, follows }: RankOptions<Key>,
): readonly RankedPassage<Key>[] {
  const query = typeof words === "string" ? parseQuery(words) : words;
  if (query === undefined) return [];
  const { terms } = query;
  const all = candidates.map((candidate) => ({ candidate, found: passagesIn(candidate.text, terms, placesPerText) }));
  const most = all.reduce((count, { found }) => Math.max(count, found.held.size), 0);
  if (most === 0) return [];
  const least = follows === undefined ? leastHeld(terms.length, most) : 1;
  const read = all.filter(({ found }) => found.held.size >= least);
  const own = scorePlaces(read, terms, candidates.length);
  const scored = follows === undefined ? own : withNeighbours(all, own, { terms, follows });
  // The sort is stable: equals stay in the order of the candidates.
  const best = scored.toSorted((a, b) => Number(b.whole) - Number(a.whole) || b.score - a.score);
  const shown = repeats ? best : eachOnce(best, terms, { limit, redact });
  return shown.slice(0, limit).map(({ key, text, missing, isNeighbour }) => {
    return isNeighbour === true ? { key, text, missing, isNeighbour } : { key, text, missing };
  });
}

/** Most of the words; half of them where nothing holds more. */
function leastHeld(terms: number, most: number): number {
  const majority = Math.floor(terms / 2) + 1;
  return most >= majority ? majority : Math.ceil(terms / 2);
}

/** What each place counts for by itself; `count` texts were searched. */
function scorePlaces<Key>(read: readonly Read<Key>[], terms: readonly Term[], count: number): readonly Scored<Key>[] {
  const weights = weightsOf(
    terms,
    read.map(({ found }) => found.held),
    count,
  );
  const averageLines = read.reduce((sum, { found }) => sum + found.lines, 0) / Math.max(1, read.length);
  return read.flatMap(({ candidate, found }) => {
    const { lines, held } = found;
    const frequency = sumOver(terms, (term) => {
      const occurrences = held.get(term) ?? 0;
      const length = 1 - B + (B * lines) / Math.max(1, averageLines);
      return (weights.get(term)! * occurrences * (K1 + 1)) / (occurrences + K1 * length);
    });
    const missing = terms.filter((term) => !held.has(term)).map(({ word }) => word);
    return found.passages.map((passage, at): Scored<Key> => {
      const there = sumOver(terms, (term) => weights.get(term)! * shareThere(term, passage, held));
      const score = (there + frequency * FREQUENCY_SHARE) * (candidate.weight ?? 1) * (at === 0 ? 1 : FURTHER_SHARE);
      const whole = at === 0 && passage.held.size === terms.length;
      return { candidate, key: candidate.key, text: passage.text, missing, whole, score };
    });
  });
}

function shareThere(term: Term, passage: Passage, held: ReadonlyMap<Term, number>): number {
  if (!passage.held.has(term)) return held.has(term) ? ELSEWHERE_SHARE : 0;
  return passage.literal.has(term) ? 1 + LITERAL_SHARE : 1;
}

/** Every place with what its neighbours add, and the neighbours themselves, without those that count for little. */
function withNeighbours<Key>(
  all: readonly Read<Key>[],
  own: readonly Scored<Key>[],
  { terms, follows }: { readonly terms: readonly Term[]; readonly follows: (key: Key, before: Key) => boolean },
): readonly Scored<Key>[] {
  const byCandidate = Map.groupBy(own, ({ candidate }) => candidate);
  const scoreAt = (at: number): number => byCandidate.get(all[at]!.candidate)?.[0]?.score ?? 0;
  const areNeighbours = (before: number): boolean =>
    before >= 0 && before + 1 < all.length && follows(all[before + 1]!.candidate.key, all[before]!.candidate.key);
  const scored = all.flatMap(({ candidate }, at): readonly Scored<Key>[] => {
    const before = areNeighbours(at - 1) ? BEFORE_SHARE * scoreAt(at - 1) : 0;
    const after = areNeighbours(at) ? AFTER_SHARE * scoreAt(at + 1) : 0;
    const places = byCandidate.get(candidate);
    if (places !== undefined)
      return places.map((place, rank) => ({ ...place, score: place.score + (rank === 0 ? before + after : 0) }));
    const { key, text } = candidate;
    const missing = terms.map(({ word }) => word);
    const neighbour = { candidate, key, text: openingOf(text), missing, whole: false, isNeighbour: true };
    return before + after === 0 || text === "" ? [] : [{ ...neighbour, score: before + after }];
  });
  const best = scored.reduce((score, place) => Math.max(score, place.score), 0);
  const least = best * (scored.some(({ whole }) => whole) ? LEAST_SHARE_OF_WHOLE : LEAST_SHARE);
  return scored.filter(({ score }) => score >= least);
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
function eachOnce<Key>(
  best: readonly Scored<Key>[],
  terms: readonly Term[],
  { limit, redact }: Pick<RankOptions<Key>, "limit" | "redact">,
): readonly Scored<Key>[] {
  const places = new Map<string, Scored<Key>>();
  for (const place of best) {
    if (places.size >= limit) break;
    const text = redact === undefined ? place.text : redacted(place, terms, redact);
    if (text !== undefined && !places.has(text)) places.set(text, { ...place, text });
  }
  return [...places.values()];
}

/** Secrets are looked for in the whole text, because a part of one does not look like it. */
function redacted<Key>(
  { candidate, text, isNeighbour }: Scored<Key>,
  terms: readonly Term[],
  redact: (text: string) => string,
): string | undefined {
  const safe = redact(candidate.text);
  if (safe === candidate.text) return text;
  return isNeighbour === true ? openingOf(safe) : passagesIn(safe, terms, 1).passages[0]?.text;
}

// The passages of a text that hold the most words of a query, as the lines around them, each about as long as a paragraph.

/** What is shown around a hit: most messages of a person are no longer than this. */
export const PASSAGE_CHARS_MAX = 450;
/** A longer line is read in pieces. */
const PIECE_CHARS_MAX = 100;

export interface Passage {
  readonly text: string;
  readonly held: ReadonlySet<Term>;
  /** Of these, the words that are there as they were written. */
  readonly literal: ReadonlySet<Term>;
}

export interface Passages {
  /** The best first; those that follow hold as many words and do not overlap. */
  readonly passages: readonly Passage[];
  /** How many lines hold each word; words that no line holds are not in it. */
  readonly held: ReadonlyMap<Term, number>;
  readonly lines: number;
}

/** Where a line, or a piece of a long one, is in the text. */
interface LinePiece {
  readonly start: number;
  readonly end: number;
  readonly held: readonly Term[];
}

const NONE: readonly Term[] = [];

function passagesIn(text: string, terms: readonly Term[], passagesMax: number): Passages {
  const searched = text.slice(0, SEARCHED_CHARS_MAX);
  const pieces = piecesIn(searched).map(([start, end]): LinePiece => {
    const piece = searched.slice(start, end);
    const plain = folded(piece);
    const likely = terms.filter((term) => mayHoldTerm(plain, term));
    if (likely.length === 0) return { start, end, held: NONE };
    const tokens = tokensOf(piece);
    return { start, end, held: likely.filter((term) => holdsTerm(tokens, term)) };
  });
  const held = new Map<Term, number>();
  for (const piece of pieces) for (const term of piece.held) held.set(term, (held.get(term) ?? 0) + 1);
  const windows = windowsIn(pieces).toSorted(
    (a, b) => b.held.size - a.held.size || a.chars - b.chars || a.from - b.from,
  );
  const chosen: Window[] = [];
  for (const window of windows) {
    if (chosen.length >= passagesMax || window.held.size < (chosen[0]?.held.size ?? 0)) break;
    if (chosen.every(({ from, to }) => window.to < from || window.from > to)) chosen.push(window);
  }
  return { passages: chosen.map((window) => passageOf(searched, pieces, window)), held, lines: pieces.length };
}

/** How a text begins, as much as is shown around a hit. */
function openingOf(text: string): string {
  const pieces = piecesIn(text.slice(0, PASSAGE_CHARS_MAX + PIECE_CHARS_MAX));
  const last = pieces.findLast(([, end]) => end <= PASSAGE_CHARS_MAX);
  if (last === undefined) return "";
  const rest = text.slice(last[1]).trim() === "" ? "" : "…";
  return `${text.slice(pieces[0]![0], last[1])}${rest}`;
}

/** Starts and ends of the lines; long ones in pieces that end at a word, empty ones left out. */
function piecesIn(text: string): readonly (readonly [number, number])[] {
  const pieces: (readonly [number, number])[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    for (let from = start; from < end;) {
      const to = end - from <= PIECE_CHARS_MAX ? end : wordEnd(text, from, from + PIECE_CHARS_MAX);
      pieces.push([from, to]);
      from = to;
    }
    start = end + 1;
  }
  return pieces;
}

const NO_WORD = /[^\p{L}\p{N}_]/u;

/** The last place up to `to` at which no word is cut; `to` itself in data that has none. */
function wordEnd(text: string, from: number, to: number): number {
  for (let at = to; at > from + (to - from) / 2; at--) if (NO_WORD.test(text[at - 1]!)) return at;
  return isLowHalf(text.charCodeAt(to)) ? to - 1 : to;
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly chars: number;
  readonly held: ReadonlySet<Term>;
}

/** From every piece that holds a word, as far as a passage reaches, and no further than the last word in it. */
function windowsIn(pieces: readonly LinePiece[]): readonly Window[] {
  const windows: Window[] = [];
  for (const [from, first] of pieces.entries()) {
    if (first.held.length === 0) continue;
    const held = new Set(first.held);
    let to = from;
    for (let at = from + 1; at < pieces.length && pieces[at]!.end - first.start <= PASSAGE_CHARS_MAX; at++) {
      if (pieces[at]!.held.every((term) => held.has(term))) continue;
      for (const term of pieces[at]!.held) held.add(term);
      to = at;
    }
    windows.push({ from, to, chars: pieces[to]!.end - first.start, held });
  }
  return windows;
}

/** The window with its neighbours, before and behind it in turn, as far as they fit. */
function passageOf(text: string, pieces: readonly LinePiece[], { from, to, held }: Window): Passage {
  let [first, last] = [from, to];
  const fits = (one: number, other: number): boolean =>
    one >= 0 && other < pieces.length && pieces[other]!.end - pieces[one]!.start <= PASSAGE_CHARS_MAX;
  for (let grows = true; grows;) {
    grows = false;
    if (fits(first, last + 1)) [last, grows] = [last + 1, true];
    if (fits(first - 1, last)) [first, grows] = [first - 1, true];
  }
  const start = pieces[first]!.start;
  const end = pieces[last]!.end;
  const core = text.slice(pieces[from]!.start, pieces[to]!.end).toLowerCase();
  const literal = new Set([...held].filter(({ word }) => core.includes(word)));
  const opening = start > 0 && text[start - 1] !== "\n" ? "…" : "";
  const closing = end < text.length && text[end] !== "\n" ? "…" : "";
  return { text: `${opening}${text.slice(start, end)}${closing}`, held, literal };
}
