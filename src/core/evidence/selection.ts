/**
 * Chooses excerpts greedily: always the one whose new names are worth most for its tokens. What a name is worth is the
 * probability that it will be asked for; once it is tied, it is worth nothing more.
 */
import type { Excerpt, ExcerptRequest } from "./excerpt.ts";
import { createHeap } from "./heap.ts";
import type { Option, Options } from "./options.ts";
import { createShelf } from "./shelf.ts";
import type { Sources } from "./sources.ts";
import type { Tally } from "./tally.ts";

/** Names looked at beyond what the budget holds at the usual price: some cannot be tied, others come along for nothing. */
const OVERSAMPLING = 1.25;
const NAMES_BEYOND = 150;
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
  const { scores } = material;
  const { budget, measure } = request;
  const shelf = createShelf(material.tally, material.options, measure);
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
