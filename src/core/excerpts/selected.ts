/**
 * What has been chosen so far, and what one more choice would add to its price. Pieces of one message that stand close
 * together become one, so that a reader gets a passage and not its crumbs.
 */
import type { Excerpt } from "./excerpt.ts";
import type { Range } from "./identifiers.ts";
import { excerptOf, type CandidateTable } from "./candidates.ts";
import type { Occurrences } from "./occurrences.ts";

/** Pieces with so little between them are joined: about what a line number and its margin take. */
const GAP_CHARS_MAX = 24;

export interface Selection {
  /** Where the candidate would go, as things are now. */
  readonly placeFor: (candidate: number) => Placement;
  readonly take: (candidate: number, place: Placement) => void;
  /** Best first. */
  readonly excerpts: () => readonly Excerpt[];
}

/** What an candidate would become on the selection. */
export interface Placement extends Range {
  /** Of the pieces that it would join, and of what they become with it. */
  readonly instead: number;
  readonly tokens: number;
  /** Of the line that names its source, where that is new. */
  readonly lead: number;
  readonly close: readonly SelectedPiece[];
}

/** Something chosen, and as which number: a joined piece has the best rank of its parts. */
interface SelectedPiece extends Range {
  /** One of the candidates that it is made of; the only one where it is alone. */
  readonly candidate: number;
  readonly isAlone: boolean;
  readonly rank: number;
  readonly tokens: number;
}

/** What was chosen of a message. Where the pieces stand is in arrays of its own: every candidate looks through them. */
interface Row {
  readonly pieces: SelectedPiece[];
  readonly starts: number[];
  readonly ends: number[];
}

export function createSelection(occurrences: Occurrences, table: CandidateTable): Selection {
  /** By message. */
  const rows: (Row | undefined)[] = new Array(occurrences.entries.length);
  /** By source. */
  const isNamed: boolean[] = [];
  let rank = 0;
  const closeTo = (candidate: number): readonly SelectedPiece[] => {
    const row = rows[table.messages[candidate]!];
    return row === undefined ? NONE : piecesAround(candidate, row, table);
  };
  return {
    placeFor: (candidate) => {
      const source = table.sources[candidate]!;
      const lead = isNamed[source] === true ? 0 : table.sourceLineTokens[source]!;
      const close = closeTo(candidate);
      let start = table.starts[candidate]!;
      let end = table.ends[candidate]!;
      if (close.length === 0) return { start, end, lead, tokens: table.tokens[candidate]!, instead: 0, close };
      let instead = 0;
      for (const piece of close) {
        if (piece.start < start) start = piece.start;
        if (piece.end > end) end = piece.end;
        instead += piece.tokens;
      }
      return { start, end, lead, tokens: table.weigh(candidate, { start, end }), instead, close };
    },
    take: (candidate, { start, end, tokens, close }) => {
      isNamed[table.sources[candidate]!] = true;
      const message = table.messages[candidate]!;
      const best = close.reduce((least, piece) => Math.min(least, piece.rank), rank++);
      const row = rows[message];
      const next = row === undefined || close.length > 0 ? rowWithout(close, row) : row;
      put(next, { start, end, candidate, isAlone: close.length === 0, rank: best, tokens });
      rows[message] = next;
    },
    excerpts: () => {
      const ranked: (Excerpt | undefined)[] = new Array(rank);
      for (const { pieces } of rows.filter((row) => row !== undefined))
        for (const piece of pieces) ranked[piece.rank] = quoteOf(piece, occurrences, table);
      return ranked.filter((one) => one !== undefined);
    },
  };
}

const NONE: readonly SelectedPiece[] = [];

/** Those of a message's pieces that an candidate would be joined with. */
function piecesAround(
  candidate: number,
  { starts, ends, pieces }: Row,
  table: CandidateTable,
): readonly SelectedPiece[] {
  const least = table.starts[candidate]! - GAP_CHARS_MAX;
  const most = table.ends[candidate]! + GAP_CHARS_MAX;
  let close: SelectedPiece[] | undefined;
  for (let at = 0; at < starts.length; at++) {
    if (starts[at]! > most || ends[at]! < least) continue;
    const piece = pieces[at]!;
    if (table.sources[piece.candidate] === table.sources[candidate]) (close ??= []).push(piece);
  }
  return close ?? NONE;
}

function rowWithout(close: readonly SelectedPiece[], row: Row | undefined): Row {
  const rest: Row = { pieces: [], starts: [], ends: [] };
  for (const piece of row?.pieces ?? NONE) if (!close.includes(piece)) put(rest, piece);
  return rest;
}

function put({ pieces, starts, ends }: Row, piece: SelectedPiece): void {
  pieces.push(piece);
  starts.push(piece.start);
  ends.push(piece.end);
}

function quoteOf(
  { candidate, isAlone, start, end, tokens }: SelectedPiece,
  occurrences: Occurrences,
  table: CandidateTable,
): Excerpt {
  const { message, source } = table.candidates[candidate]!;
  const quote = isAlone ? table.quoted(candidate) : excerptOf(occurrences, { message, start, end, source, tokens });
  return table.isError(candidate) ? { ...quote, isError: true } : quote;
}
