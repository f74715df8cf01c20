/**
 * Chooses excerpts greedily: always the one whose new names are worth most for its tokens. What a name is worth is the
 * probability that it will be asked for; once it is tied, it is worth nothing more.
 */
import type { Book, Options } from "./candidates.ts";
import type { Excerpt, ExcerptRequest } from "./excerpt.ts";
import type { Tally } from "./occurrences.ts";
import { createShelf } from "./selected.ts";
import type { Sources } from "./sources.ts";

/** Names looked at beyond what the budget holds at the usual price: some cannot be tied, others come along for nothing. */
const OVERSAMPLING = 0.85;
const NAMES_BEYOND = 190;
const PRICE_TOKENS = 12;
const SCORE_LEAST = 1e-4;
/** A source is named once for all its excerpts; the first pays this share in the ordering, all of it in the budget. */
const SOURCE_SHARE_IN_ORDER = 0.15;

/** The identifiers, what each is worth, and how to say where they come from. `scores` is used up. */
export interface Material {
  readonly tally: Tally;
  readonly sources: Sources;
  readonly options: Options;
  readonly scores: Float64Array;
}

export function selectExcerpts(material: Material, request: ExcerptRequest): readonly Excerpt[] {
  const { scores, tally } = material;
  const { budget, measure, redact } = request;
  const book = material.options.bookFor(material, measure);
  const shelf = createShelf(tally, book);
  const queue = createHeap();
  for (const option of optionsOf(material, book, request)) {
    const worth = worthOf(option, book, scores);
    queue.push(option, worth / orderPrice(book.leads[book.sources[option]!]!, book.tokens[option]!));
  }
  const shapes = createShapes(tally, book);
  const isSaid = saidIn(request.present.text, book, tally);
  let left = budget;
  for (let option = queue.pop(); option >= 0; option = queue.pop()) {
    const before = queue.priority();
    const worth = worthOf(option, book, scores);
    if (worth <= 0) continue;
    const place = shelf.placeFor(option);
    const now = worth / orderPrice(place.lead, place.tokens, place.instead);
    if (now < before * SAME_SHARE) {
      queue.push(option, now);
      continue;
    }
    const price = place.lead + place.tokens - place.instead;
    if (price > left) continue;
    if (redact !== undefined && !book.isSafe(option)) continue;
    if (!shapes.isNew(option) || isSaid(option)) continue;
    left -= price;
    shelf.take(option, place);
    for (let at = book.tieStarts[option]!; at < book.tieStarts[option + 1]!; at++) scores[book.ties[at]!] = 0;
  }
  return shelf.excerpts();
}

/** Whether the result says a passage already: what somebody said may stand within a line of it, a tool's lines do not. */
function saidIn(present: string, book: Book, { entries, readingOf }: Tally): (option: number) => boolean {
  return (option) => {
    const { message, range } = book.options[option]!;
    const entry = entries[message]!;
    return entry.message.role !== "tool" && present.includes(readingOf(entry).text.slice(range.start, range.end));
  };
}

/** One line of a log shows what all are; errors are told apart by their values, and each is quoted once. */
function createShapes({ entries, readingOf }: Tally, book: Book) {
  const seen = new Set<number>();
  const errors = new Set<string>();
  return {
    isNew: (option: number): boolean => {
      const entry = entries[book.messages[option]!]!;
      if (entry.message.role !== "tool") return true;
      if (book.isError(option)) {
        const { start, end } = book.options[option]!.range;
        const text = readingOf(entry).text.slice(start, end);
        return !errors.has(text) && errors.add(text).size > 0;
      }
      const shape = book.shapeOf(option);
      if (seen.has(shape)) return false;
      seen.add(shape);
      return true;
    },
  };
}

/** What an error is worth beside the names in it, more than any name: errors come first. */
const ERROR_WORTH = 3;

function worthOf(option: number, { ties, tieStarts, shares, isError }: Book, scores: Float64Array): number {
  const end = tieStarts[option + 1]!;
  let worth = 0;
  for (let at = tieStarts[option]!; at < end; at++) worth += scores[ties[at]!]!;
  return worth * shares[option]! + (isError(option) ? ERROR_WORTH : 0);
}

function orderPrice(lead: number, tokens: number, instead = 0): number {
  return Math.max(PRICE_LEAST, SOURCE_SHARE_IN_ORDER * lead + tokens - instead);
}

/** What comes along for nothing has a price all the same: otherwise it would be worth anything. */
const PRICE_LEAST = 0.5;
/** An option whose worth fell by less is still the best. */
const SAME_SHARE = 0.999;

function optionsOf({ scores, tally }: Material, book: Book, request: ExcerptRequest): readonly number[] {
  const [from, until] = [request.from ?? 0, request.until ?? tally.entries.length];
  const names = likeliest(scores, NAMES_BEYOND + Math.ceil((request.budget / PRICE_TOKENS) * OVERSAMPLING));
  const errors = new Set(book.errors());
  const options = [...errors, ...book.of(names).filter((option) => !errors.has(option))];
  const isSettled = (option: number): boolean =>
    book.isError(option) && request.settled?.has(book.messages[option]!) === true;
  return options.filter((option) => {
    const message = book.messages[option]!;
    return message >= from && message < until && !isSettled(option);
  });
}

/** The numbers of about so many of the highest scores. */
function likeliest(scores: Float64Array, most: number): readonly number[] {
  const least = Math.max(SCORE_LEAST, highest(scores, most));
  const numbers: number[] = [];
  for (let number = 0; number < scores.length; number++) if (scores[number]! >= least) numbers.push(number);
  return numbers;
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

export interface Heap {
  readonly push: (item: number, priority: number) => void;
  /** The first item, taken out; -1 where there is none. */
  readonly pop: () => number;
  /** The priority of the item that was popped last. */
  readonly priority: () => number;
}

function createHeap(): Heap {
  const items: number[] = [];
  const priorities: number[] = [];
  let popped = 0;
  return {
    priority: () => popped,
    push: (item, priority) => {
      let at = items.length;
      items.push(item);
      priorities.push(priority);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (priorities[parent]! >= priority) break;
        items[at] = items[parent]!;
        priorities[at] = priorities[parent]!;
        at = parent;
      }
      items[at] = item;
      priorities[at] = priority;
    },
    pop: () => {
      if (items.length === 0) return -1;
      const top = items[0]!;
      popped = priorities[0]!;
      const item = items.pop()!;
      const priority = priorities.pop()!;
      if (items.length > 0) sink(items, priorities, item, priority);
      return top;
    },
  };
}

/** Puts an item where the first stood, and lets it sink to its place. */
function sink(items: number[], priorities: number[], item: number, priority: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= items.length) break;
    if (child + 1 < items.length && priorities[child + 1]! > priorities[child]!) child++;
    if (priorities[child]! <= priority) break;
    items[at] = items[child]!;
    priorities[at] = priorities[child]!;
    at = child;
  }
  items[at] = item;
  priorities[at] = priority;
}
