/**
 * What has been chosen so far, and what one more choice would add to its price. Pieces of one message that stand close
 * together become one, so that a reader gets a passage and not its crumbs.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt } from "./excerpt.ts";
import type { Range } from "./names.ts";
import type { Option, Options } from "./options.ts";
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
}

interface NamedPath {
  readonly message: number;
  readonly source: string;
  readonly tool: string;
  readonly path: string;
  readonly rank: number;
}

export function createShelf(tally: Tally, options: Options, measure: Measure): Shelf {
  const pieces = new Map<number, readonly Piece[]>();
  const paths: NamedPath[] = [];
  const leads = new Map<string, number>();
  const sources = new Set<string>();
  const near = (option: Option): readonly Piece[] => closeTo(option, pieces.get(option.message));
  const textOf = (message: number, { start, end }: Range): string =>
    tally.entries[message]!.reading.text.slice(start, end);
  const weigh = (message: number, range: Range): number => measure.text(`${textOf(message, range)}\n`);
  const leadOf = (source: string): number => {
    let tokens = leads.get(source);
    if (tokens === undefined) leads.set(source, (tokens = measure.text(`@ ${source}\n`)));
    return tokens;
  };
  const own = (option: Option): number => {
    const parts = option.kind === "path" ? NONE : near(option);
    if (parts.length === 0) return options.tokensOf(option, tally, measure);
    const joined = weigh(option.message, union(option.range, parts));
    return joined - parts.reduce((sum, piece) => sum + weigh(option.message, piece), 0);
  };
  let rank = 0;
  return {
    price: (option, sourceShare) =>
      own(option) + (sources.has(option.source) ? 0 : sourceShare * leadOf(option.source)),
    take: (option) => {
      const { message, source } = option;
      sources.add(source);
      if (option.kind === "path") {
        paths.push({ message, source, tool: option.tool!, path: option.path!, rank: rank++ });
        return;
      }
      const parts = near(option);
      const best = Math.min(rank++, ...parts.map((piece) => piece.rank));
      const others = (pieces.get(message) ?? []).filter((piece) => !parts.includes(piece));
      pieces.set(message, [...others, { ...union(option.range, parts), message, source, rank: best }]);
    },
    excerpts: () => {
      const quoted = [...pieces.values()].flat().map((piece) => ({ ...piece, text: textOf(piece.message, piece) }));
      return [...quoted, ...pathLines(paths)]
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ message, start, source, text }) => ({
          message,
          at: start,
          source,
          text,
          tokens: measure.text(`${text}\n`),
        }));
    },
  };
}

const NONE: readonly Piece[] = [];

function closeTo({ range, source }: Option, pieces: readonly Piece[] | undefined): readonly Piece[] {
  const isClose = (piece: Piece): boolean =>
    piece.start <= range.end + GAP_CHARS_MAX && range.start <= piece.end + GAP_CHARS_MAX && piece.source === source;
  return pieces?.some(isClose) === true ? pieces.filter(isClose) : NONE;
}

function union(range: Range, parts: readonly Range[]): Range {
  return {
    start: Math.min(range.start, ...parts.map(({ start }) => start)),
    end: Math.max(range.end, ...parts.map(({ end }) => end)),
  };
}

interface PathLine {
  readonly message: number;
  readonly start: number;
  readonly source: string;
  readonly rank: number;
  text: string;
}

/** `Read: a, b`: a few paths a line, so that each stands near the name of its tool. */
function pathLines(paths: readonly NamedPath[]): readonly PathLine[] {
  const lines: PathLine[] = [];
  const open = new Map<string, PathLine>();
  for (const { tool, path, message, source, rank } of paths) {
    const line = open.get(tool);
    if (line !== undefined && line.text.length + path.length + 2 <= PATHS_LINE_CHARS_MAX) line.text += `, ${path}`;
    else {
      const next = { message, start: lines.length, source, rank, text: `${tool}: ${path}` };
      lines.push(next);
      open.set(tool, next);
    }
  }
  return lines;
}
