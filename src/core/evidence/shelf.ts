/**
 * What has been chosen so far, and what one more choice would add to its price. Pieces of one message that stand close
 * together become one, so that a reader gets a passage and not its crumbs.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt } from "./excerpt.ts";
import type { Range } from "./names.ts";
import { excerptOf, type Option, type Options } from "./options.ts";
import type { Tally } from "./tally.ts";

/** Pieces with so little between them are joined: about what a line number and its margin take. */
const GAP_CHARS_MAX = 24;
/** Every path of a line stands within this many characters of the tool's name. */
const PATHS_LINE_CHARS_MAX = 105;

export interface Shelf {
  /** Tokens that the option would add; `sourceShare` of the line that names its source, where that is new. */
  readonly price: (option: Option, sourceShare: number) => number;
  readonly take: (option: Option) => void;
  /** Best first. */
  readonly excerpts: () => readonly Excerpt[];
}

/** Something chosen, and as the how manieth: a joined piece has the best rank of its parts. */
interface Piece extends Range {
  readonly message: number;
  readonly source: string;
  readonly rank: number;
  readonly tokens: number;
  /** The option that it is, where it joined no other. */
  readonly alone: Option | undefined;
}

interface NamedPath {
  readonly message: number;
  readonly source: string;
  readonly tool: string;
  readonly path: string;
  readonly rank: number;
  readonly names: readonly number[];
}

export function createShelf(tally: Tally, options: Options, measure: Measure): Shelf {
  const pieces = new Map<number, Piece[]>();
  const paths: NamedPath[] = [];
  const leads = new Map<string, number>();
  const leadOf = (source: string): number => {
    let tokens = leads.get(source);
    if (tokens === undefined) leads.set(source, (tokens = measure.text(`@ ${source}\n`)));
    return tokens;
  };
  const sources = new Set<string>();
  let rank = 0;
  /** What the option becomes together with the pieces it joins. */
  const joined = (option: Option): { readonly range: Range; readonly tokens: number; readonly instead: number } => {
    const { range, message } = option;
    const others = option.kind === "path" ? undefined : pieces.get(message);
    let [{ start, end }, instead] = [range, 0];
    for (const piece of others ?? NONE) {
      if (!areClose(piece, option)) continue;
      if (piece.start < start) start = piece.start;
      if (piece.end > end) end = piece.end;
      instead += piece.tokens;
    }
    if (instead === 0) return { range, tokens: options.tokensOf(option, tally, measure), instead };
    const text = tally.entries[message]!.reading.text.slice(start, end);
    return { range: { start, end }, tokens: measure.text(`${text}\n`), instead };
  };
  return {
    price: (option, sourceShare) => {
      const lead = sources.has(option.source) ? 0 : sourceShare * leadOf(option.source);
      // Nearly all are priced before anything of their message is chosen.
      if (!pieces.has(option.message)) return lead + options.tokensOf(option, tally, measure);
      const { tokens, instead } = joined(option);
      return lead + tokens - instead;
    },
    take: (option) => {
      const { message, source } = option;
      sources.add(source);
      if (option.kind === "path") {
        paths.push({ message, source, tool: option.tool!, path: option.path!, rank: rank++, names: option.ties });
        return;
      }
      const { range, tokens } = joined(option);
      const others = pieces.get(message) ?? [];
      const close = others.filter((piece) => areClose(piece, option));
      const best = close.reduce((least, piece) => Math.min(least, piece.rank), rank++);
      const rest = close.length === 0 ? others : others.filter((piece) => !close.includes(piece));
      const alone = close.length === 0 ? option : undefined;
      rest.push({ start: range.start, end: range.end, message, source, rank: best, tokens, alone });
      pieces.set(message, rest);
    },
    excerpts: () => {
      const ranked = [
        ...[...pieces.values()].flat().map((piece) => ({
          rank: piece.rank,
          excerpt: piece.alone === undefined ? excerptOf(tally, piece) : options.quoted(piece.alone, tally),
        })),
        ...pathLines(paths).map((line, at) => listOf(line, at, measure)),
      ];
      return ranked.toSorted((a, b) => a.rank - b.rank).map(({ excerpt }) => excerpt);
    },
  };
}

interface Ranked {
  readonly rank: number;
  readonly excerpt: Excerpt;
}

function listOf({ message, source, text, names, rank }: PathLine, at: number, measure: Measure): Ranked {
  return { rank, excerpt: { message, at, source, text, tokens: measure.text(`${text}\n`), names } };
}

const NONE: readonly Piece[] = [];

function areClose(piece: Piece, { range, source }: Option): boolean {
  return (
    piece.start <= range.end + GAP_CHARS_MAX && range.start <= piece.end + GAP_CHARS_MAX && piece.source === source
  );
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
