/** The passages of a text that hold the most words of a query, as the lines around them, each about as long as a paragraph. */
import { isLowHalf } from "./pages.ts";
import { holdsTerm, mayHoldTerm, SEARCHED_CHARS_MAX, tokensOf, type Term } from "./words.ts";

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

export function passagesIn(text: string, terms: readonly Term[], passagesMax: number): Passages {
  const searched = text.slice(0, SEARCHED_CHARS_MAX);
  const pieces = piecesIn(searched).map(([start, end]): LinePiece => {
    const piece = searched.slice(start, end);
    const lower = piece.toLowerCase();
    const likely = terms.filter((term) => mayHoldTerm(lower, term));
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
export function openingOf(text: string): string {
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
