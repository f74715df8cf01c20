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
  const { scores } = material;
  const { budget, measure } = request;
  const shelf = createShelf(material.tally, material.options, measure);
  const options = optionsOf(material, request);
  const queue = createHeap();
  const ratio = (option: Option): number => {
    let worth = 0;
    for (const number of option.ties) worth += scores[number]!;
    return worth === 0 ? 0 : worth / Math.max(PRICE_LEAST, shelf.price(option, SOURCE_SHARE_IN_ORDER));
  };
  for (let at = 0; at < options.length; at++) queue.push(at, ratio(options[at]!));
  let left = budget;
  for (let at = queue.pop(); at >= 0; at = queue.pop()) {
    const option = options[at]!;
    const before = queue.priority();
    const now = ratio(option);
    if (now <= 0) continue;
    if (now < before * SAME_SHARE) {
      queue.push(at, now);
      continue;
    }
    const price = shelf.price(option, 1);
    if (price > left) continue;
    if (request.redact !== undefined && !material.options.isSafe(option, material.tally, request.redact)) continue;
    left -= price;
    shelf.take(option);
    for (const number of option.ties) scores[number] = 0;
  }
  return shelf.excerpts();
}

/** What comes along for nothing has a price all the same: otherwise it would be worth anything. */
const PRICE_LEAST = 0.5;
/** An option whose worth fell by less is still the best. */
const SAME_SHARE = 0.999;

function optionsOf(material: Material, request: ExcerptRequest): readonly Option[] {
  const { scores, tally } = material;
  const options = new Set<Option>();
  const [from, until] = [request.from ?? 0, request.until ?? tally.entries.length];
  for (const number of likeliest(scores, NAMES_BEYOND + Math.ceil((request.budget / PRICE_TOKENS) * OVERSAMPLING)))
    for (const option of material.options.of(material, number))
      if (option.message >= from && option.message < until) options.add(option);
  return [...options];
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
