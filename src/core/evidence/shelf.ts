/**
 * What has been chosen so far, and what one more choice would add to its price. Pieces of one message that stand close
 * together become one, so that a reader gets a passage and not its crumbs.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt } from "./excerpt.ts";
import type { Range } from "./names.ts";
import { excerptOf, type Book, type Option } from "./options.ts";
import type { Tally } from "./tally.ts";

/** Pieces with so little between them are joined: about what a line number and its margin take. */
const GAP_CHARS_MAX = 24;
/** Every path of a line stands within this many characters of the tool's name. */
const PATHS_LINE_CHARS_MAX = 105;

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
  readonly message: number;
  readonly source: string;
  readonly rank: number;
  readonly tokens: number;
  /** The option that it is; -1 where others joined it. */
  readonly alone: number;
}

interface NamedPath {
  readonly message: number;
  readonly source: string;
  readonly tool: string;
  readonly path: string;
  readonly rank: number;
  readonly names: readonly number[];
}

export function createShelf(tally: Tally, book: Book, measure: Measure): Shelf {
  /** By message. */
  const pieces: (Piece[] | undefined)[] = new Array(tally.entries.length);
  const paths: NamedPath[] = [];
  const sources = new Set<string>();
  let rank = 0;
  return {
    placeFor: (number) => {
      const option = book.options[number]!;
      const { range, message, source } = option;
      const lead = sources.has(source) ? 0 : book.leads[number]!;
      const close = option.kind === "path" ? NONE : closeTo(option, pieces[message] ?? NONE);
      let { start, end } = range;
      if (close.length === 0) return { start, end, lead, tokens: book.tokens[number]!, instead: 0, close };
      let instead = 0;
      for (const piece of close) {
        if (piece.start < start) start = piece.start;
        if (piece.end > end) end = piece.end;
        instead += piece.tokens;
      }
      const text = tally.entries[message]!.reading.text.slice(start, end);
      return { start, end, lead, tokens: measure.text(`${text}\n`), instead, close };
    },
    take: (number, { start, end, tokens, close }) => {
      const option = book.options[number]!;
      const { message, source } = option;
      sources.add(source);
      if (option.kind === "path") {
        paths.push({ message, source, tool: option.tool!, path: option.path!, rank: rank++, names: option.ties });
        return;
      }
      const best = close.reduce((least, piece) => Math.min(least, piece.rank), rank++);
      const others = pieces[message] ?? [];
      const rest = close.length === 0 ? others : others.filter((piece) => !close.includes(piece));
      const alone = close.length === 0 ? number : -1;
      rest.push({ start, end, message, source, rank: best, tokens, alone });
      pieces[message] = rest;
    },
    excerpts: () => {
      const ranked: (Excerpt | undefined)[] = new Array(rank);
      for (const own of pieces)
        for (const piece of own ?? NONE)
          ranked[piece.rank] = piece.alone < 0 ? excerptOf(tally, piece) : book.quoted(piece.alone);
      pathLines(paths).forEach(({ rank: place, message, source, text, names }, at) => {
        ranked[place] = { message, at, source, text, tokens: measure.text(`${text}\n`), names };
      });
      return ranked.filter((one) => one !== undefined);
    },
  };
}

const NONE: readonly Piece[] = [];

/** Those of a message's pieces that an option would be joined with. */
function closeTo({ range, source }: Option, pieces: readonly Piece[]): readonly Piece[] {
  let close: Piece[] | undefined;
  for (const piece of pieces) {
    if (piece.start > range.end + GAP_CHARS_MAX || range.start > piece.end + GAP_CHARS_MAX) continue;
    if (piece.source === source) (close ??= []).push(piece);
  }
  return close ?? NONE;
}

interface PathLine {
  readonly message: number;
  readonly source: string;
  readonly rank: number;
  readonly names: number[];
  text: string;
}

/** `Read: a, b`: a few paths a line, so that each stands near the name of its tool. */
function pathLines(paths: readonly NamedPath[]): readonly PathLine[] {
  const lines: PathLine[] = [];
  const open = new Map<string, PathLine>();
  for (const { tool, path, message, source, rank, names } of paths) {
    const line = open.get(tool);
    if (line !== undefined && line.text.length + path.length + 2 <= PATHS_LINE_CHARS_MAX) {
      line.text += `, ${path}`;
      line.names.push(...names);
    } else {
      const next = { message, source, rank, names: [...names], text: `${tool}: ${path}` };
      lines.push(next);
      open.set(tool, next);
    }
  }
  return lines;
}
