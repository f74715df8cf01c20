/**
 * Chooses excerpts greedily: always the one whose new names are worth most for its tokens. What a name is worth is the
 * probability that it will be asked for; once it is tied, it is worth nothing more.
 */
import type { Measure } from "../transcript/measure.ts";
import type { Excerpt, ExcerptRequest } from "./excerpt.ts";
import { createHeap } from "./heap.ts";
import type { Range } from "./names.ts";
import { PATHS_SOURCE, type Option, type Options } from "./options.ts";
import type { Sources } from "./sources.ts";
import type { Tally } from "./tally.ts";

/** Names looked at beyond what the budget holds at the usual price: some cannot be tied, others come along for nothing. */
const OVERSAMPLING = 1.25;
const NAMES_BEYOND = 150;
const PRICE_TOKENS = 12;
const SCORE_LEAST = 1e-4;
/** A source is named once for all its excerpts; the first pays this share in the ordering, all of it in the budget. */
const SOURCE_SHARE_IN_ORDER = 0.15;
/** Every path of a line stands within this many characters of the tool's name. */
const PATHS_LINE_CHARS_MAX = 105;

/** The identifiers, what each is worth, and how to say where they come from. `scores` is used up. */
export interface Material {
  readonly tally: Tally;
  readonly sources: Sources;
  readonly options: Options;
  readonly scores: Float64Array;
}

export function selectExcerpts(material: Material, request: ExcerptRequest): readonly Excerpt[] {
  const { scores } = material;
  const { budget, measure } = request;
  const shelf = createShelf(material, measure);
  const worth = (option: Option): number => option.ties.reduce((sum, number) => sum + scores[number]!, 0);
  const queue = createHeap<Option>();
  const ratio = (option: Option): number => worth(option) / Math.max(0.5, shelf.price(option, SOURCE_SHARE_IN_ORDER));
  for (const option of optionsOf(material, request)) queue.push(option, ratio(option));
  let left = budget;
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const now = ratio(next.item);
    if (now <= 0) continue;
    if (now < next.priority * 0.999) {
      queue.push(next.item, now);
      continue;
    }
    const price = shelf.price(next.item, 1);
    if (price > left) continue;
    left -= price;
    shelf.take(next.item);
    for (const number of next.item.ties) scores[number] = 0;
  }
  return shelf.excerpts();
}

function optionsOf(material: Material, request: ExcerptRequest): readonly Option[] {
  const { scores, tally } = material;
  const options = new Map<number, Option>();
  const [from, until] = [request.from ?? 0, request.until ?? tally.entries.length];
  for (const number of likeliest(scores, NAMES_BEYOND + Math.ceil((request.budget / PRICE_TOKENS) * OVERSAMPLING)))
    for (const option of material.options.of(material, number))
      if (option.message >= from && option.message < until) options.set(keyOf(option, number), option);
  return [...options.values()];
}

/** The numbers of the highest scores, best first. */
function likeliest(scores: Float64Array, most: number): readonly number[] {
  const least = Math.max(SCORE_LEAST, highest(scores, most));
  const numbers: number[] = [];
  for (let number = 0; number < scores.length; number++) if (scores[number]! >= least) numbers.push(number);
  return numbers.sort((a, b) => scores[b]! - scores[a]!).slice(0, most);
}

const BUCKETS = 4096;

/** A bound that about `most` scores reach, at least: probabilities counted in buckets, from the top. */
function highest(scores: Float64Array, most: number): number {
  const counts = new Uint32Array(BUCKETS + 1);
  for (let number = 0; number < scores.length; number++) counts[Math.floor(scores[number]! * BUCKETS)]!++;
  let [bucket, reached] = [BUCKETS, counts[BUCKETS]!];
  while (bucket > 0 && reached < most) reached += counts[--bucket]!;
  return bucket / BUCKETS;
}

const CHARS_PER_MESSAGE_MAX = 2 ** 24;
const CHARS_PER_QUOTE_MAX = 2 ** 10;

/** One number for an option, so that a quote that several names share is offered once. */
function keyOf({ kind, message, range }: Option, number: number): number {
  if (kind === "path") return -1 - number * MESSAGES_MAX - message;
  return (message * CHARS_PER_MESSAGE_MAX + range.start) * CHARS_PER_QUOTE_MAX + (range.end - range.start);
}

const MESSAGES_MAX = 2 ** 20;

/** What has been chosen so far, and what one more option would add to its price. */
interface Shelf {
  readonly price: (option: Option, sourceShare: number) => number;
  readonly take: (option: Option) => void;
  readonly excerpts: () => readonly Excerpt[];
}

interface Piece extends Range {
  readonly message: number;
  readonly source: string;
  readonly rank: number;
}

function createShelf({ tally, options }: Material, measure: Measure): Shelf {
  const pieces = new Map<number, Piece[]>();
  const paths: { readonly tool: string; readonly path: string; readonly message: number; readonly rank: number }[] = [];
  const sources = new Set<string>();
  let rank = 0;
  const textOf = (message: number, { start, end }: Range): string =>
    tally.entries[message]!.reading.text.slice(start, end);
  const cost = (message: number, range: Range): number => measure.text(`${textOf(message, range)}\n`);
  const leads = new Map<string, number>();
  const leadOf = (source: string): number => {
    let tokens = leads.get(source);
    if (tokens === undefined) leads.set(source, (tokens = measure.text(`@ ${source}\n`)));
    return tokens;
  };
  const touching = ({ message, range, source }: Option): Piece[] =>
    (pieces.get(message) ?? []).filter(
      (piece) => piece.source === source && piece.start <= range.end + 1 && range.start <= piece.end + 1,
    );
  const union = (option: Option, near: readonly Piece[]): Range => ({
    start: Math.min(option.range.start, ...near.map(({ start }) => start)),
    end: Math.max(option.range.end, ...near.map(({ end }) => end)),
  });
  const price = (option: Option, sourceShare: number): number => {
    const source = sources.has(option.source) ? 0 : sourceShare * leadOf(option.source);
    if (option.kind === "path") return source + measure.text(`${option.path}, `) + (option.tool!.length + 3) / 16;
    const near = touching(option);
    if (near.length === 0) return source + options.tokensOf(option, tally, measure);
    const merged = cost(option.message, union(option, near));
    return source + merged - near.reduce((sum, piece) => sum + cost(option.message, piece), 0);
  };
  return {
    price,
    take: (option) => {
      sources.add(option.source);
      if (option.kind === "path") {
        paths.push({ tool: option.tool!, path: option.path!, message: option.message, rank: rank++ });
        return;
      }
      const near = touching(option);
      const best = Math.min(rank++, ...near.map((piece) => piece.rank));
      const others = (pieces.get(option.message) ?? []).filter((piece) => !near.includes(piece));
      pieces.set(option.message, [
        ...others,
        { ...union(option, near), message: option.message, source: option.source, rank: best },
      ]);
    },
    excerpts: () => {
      const lines = [...pieces.values()].flat().map((piece) => ({
        message: piece.message,
        source: piece.source,
        text: textOf(piece.message, piece),
        rank: piece.rank,
      }));
      return [...lines, ...pathLines(paths)]
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ message, source, text }) => ({ message, source, text, tokens: measure.text(`${text}\n`) }));
    },
  };
}

function pathLines(
  paths: readonly { readonly tool: string; readonly path: string; readonly message: number; readonly rank: number }[],
): { message: number; source: string; text: string; rank: number }[] {
  const lines: { message: number; source: string; text: string; rank: number }[] = [];
  const open = new Map<string, number>();
  for (const { tool, path, message, rank } of paths) {
    const at = open.get(tool);
    const line = at === undefined ? undefined : lines[at]!;
    if (line !== undefined && line.text.length + path.length + 2 <= PATHS_LINE_CHARS_MAX) line.text += `, ${path}`;
    else {
      open.set(tool, lines.length);
      lines.push({ message, source: PATHS_SOURCE, text: `${tool}: ${path}`, rank });
    }
  }
  return lines;
}
