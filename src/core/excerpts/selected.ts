/**
 * What has been chosen so far, and what one more choice would add to its price. Pieces of one message that stand close
 * together become one, so that a reader gets a passage and not its crumbs.
 */
import type { Excerpt } from "./excerpt.ts";
import type { Range } from "./identifiers.ts";
import { excerptOf, type Book } from "./candidates.ts";
import type { Tally } from "./occurrences.ts";

/** Pieces with so little between them are joined: about what a line number and its margin take. */
const GAP_CHARS_MAX = 24;

export interface Shelf {
  /** Where the option would go, as things are now. */
  readonly placeFor: (option: number) => Place;
  readonly take: (option: number, place: Place) => void;
  /** Best first. */
  readonly excerpts: () => readonly Excerpt[];
}

/** What an option would become on the shelf. */
export interface Place extends Range {
  /** Of the pieces that it would join, and of what they become with it. */
  readonly instead: number;
  readonly tokens: number;
  /** Of the line that names its source, where that is new. */
  readonly lead: number;
  readonly close: readonly Piece[];
}

/** Something chosen, and as the how manieth: a joined piece has the best rank of its parts. */
interface Piece extends Range {
  /** One of the options that it is made of; the only one where it is alone. */
  readonly option: number;
  readonly isAlone: boolean;
  readonly rank: number;
  readonly tokens: number;
}

/** What was chosen of a message. Where the pieces stand is in arrays of its own: every option looks through them. */
interface Row {
  readonly pieces: Piece[];
  readonly starts: number[];
  readonly ends: number[];
}

export function createShelf(tally: Tally, book: Book): Shelf {
  /** By message. */
  const rows: (Row | undefined)[] = new Array(tally.entries.length);
  /** By source. */
  const isNamed: boolean[] = [];
  let rank = 0;
  const closeTo = (option: number): readonly Piece[] => {
    const row = rows[book.messages[option]!];
    return row === undefined ? NONE : piecesAround(option, row, book);
  };
  return {
    placeFor: (option) => {
      const source = book.sources[option]!;
      const lead = isNamed[source] === true ? 0 : book.leads[source]!;
      const close = closeTo(option);
      let start = book.starts[option]!;
      let end = book.ends[option]!;
      if (close.length === 0) return { start, end, lead, tokens: book.tokens[option]!, instead: 0, close };
      let instead = 0;
      for (const piece of close) {
        if (piece.start < start) start = piece.start;
        if (piece.end > end) end = piece.end;
        instead += piece.tokens;
      }
      return { start, end, lead, tokens: book.weigh(option, { start, end }), instead, close };
    },
    take: (option, { start, end, tokens, close }) => {
      isNamed[book.sources[option]!] = true;
      const message = book.messages[option]!;
      const best = close.reduce((least, piece) => Math.min(least, piece.rank), rank++);
      const row = rows[message];
      const next = row === undefined || close.length > 0 ? rowWithout(close, row) : row;
      put(next, { start, end, option, isAlone: close.length === 0, rank: best, tokens });
      rows[message] = next;
    },
    excerpts: () => {
      const ranked: (Excerpt | undefined)[] = new Array(rank);
      for (const { pieces } of rows.filter((row) => row !== undefined))
        for (const piece of pieces) ranked[piece.rank] = quoteOf(piece, tally, book);
      return ranked.filter((one) => one !== undefined);
    },
  };
}

const NONE: readonly Piece[] = [];

/** Those of a message's pieces that an option would be joined with. */
function piecesAround(option: number, { starts, ends, pieces }: Row, book: Book): readonly Piece[] {
  const least = book.starts[option]! - GAP_CHARS_MAX;
  const most = book.ends[option]! + GAP_CHARS_MAX;
  let close: Piece[] | undefined;
  for (let at = 0; at < starts.length; at++) {
    if (starts[at]! > most || ends[at]! < least) continue;
    const piece = pieces[at]!;
    if (book.sources[piece.option] === book.sources[option]) (close ??= []).push(piece);
  }
  return close ?? NONE;
}

function rowWithout(close: readonly Piece[], row: Row | undefined): Row {
  const rest: Row = { pieces: [], starts: [], ends: [] };
  for (const piece of row?.pieces ?? NONE) if (!close.includes(piece)) put(rest, piece);
  return rest;
}

function put({ pieces, starts, ends }: Row, piece: Piece): void {
  pieces.push(piece);
  starts.push(piece.start);
  ends.push(piece.end);
}

function quoteOf({ option, isAlone, start, end, tokens }: Piece, tally: Tally, book: Book): Excerpt {
  const { message, source } = book.options[option]!;
  const quote = isAlone ? book.quoted(option) : excerptOf(tally, { message, start, end, source, tokens });
  return book.isError(option) ? { ...quote, isError: true } : quote;
}
