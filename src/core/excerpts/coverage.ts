/**
 * Chooses excerpts greedily: always the one whose new names are worth most for its tokens. What a name is worth is the
 * probability that it will be asked for; once it is tied, it is worth nothing more.
 */
import type { CandidateTable, CandidateKeeper } from "./candidates.ts";
import type { Excerpt, ExcerptRequest } from "./excerpt.ts";
import type { Occurrences } from "./occurrences.ts";
import { createSelection } from "./selected.ts";
import type { Sources } from "./sources.ts";

/** Names looked at beyond what the budget holds at the usual price: some cannot be tied, others come along for nothing. */
const OVERSAMPLING = 0.85;
const NAMES_BEYOND = 190;
const PRICE_TOKENS = 12;
const SCORE_LEAST = 1e-4;
/** A source is named once for all its excerpts; the first pays this share in the ordering, all of it in the budget. */
const SOURCE_SHARE_IN_ORDER = 0.15;

/** The identifiers, what each is worth, and how to say where they come from. `scores` is used up. */
export interface CoverageInput {
  /** For each identifier whether the result names it already: 1 where it does. */
  readonly named: Uint8Array;
  readonly occurrences: Occurrences;
  readonly sources: Sources;
  readonly candidates: CandidateKeeper;
  readonly scores: Float64Array;
}

export function selectExcerpts(material: CoverageInput, request: ExcerptRequest): readonly Excerpt[] {
  const { scores, occurrences, named } = material;
  const { budget, measure, redact } = request;
  const table = material.candidates.tableFor(material, measure);
  const selection = createSelection(occurrences, table);
  const queue = createHeap();
  const worthOf = createWorth(table, scores);
  for (const candidate of candidatesOf(material, table, request)) {
    const lead = table.sourceLineTokens[table.sources[candidate]!]!;
    queue.push(candidate, worthOf(candidate) / orderPrice(lead, table.tokens[candidate]!));
  }
  const shapes = createShapes(occurrences, table);
  const isRetracted = retractedIn(request, table, occurrences);
  const isSaid = saidIn({ text: request.present.text, named }, table, occurrences);
  let left = budget;
  for (let candidate = queue.pop(); candidate >= 0; candidate = queue.pop()) {
    const before = queue.priority();
    // Nor are those behind it worth anything.
    if (before <= 0) break;
    const worth = worthOf(candidate);
    if (worth <= 0) continue;
    const place = selection.placeFor(candidate);
    const now = worth / orderPrice(place.lead, place.tokens, place.instead);
    if (now < before * SAME_SHARE) {
      queue.push(candidate, now);
      continue;
    }
    const price = place.lead + place.tokens - place.instead;
    if (price > left) continue;
    // Redaction reads the surroundings as well: it is asked last.
    if (!shapes.isNew(candidate) || (redact !== undefined && !table.isSafe(candidate))) continue;
    shapes.add(candidate);
    if (isSaid(candidate) || isRetracted(candidate)) continue;
    left -= price;
    selection.take(candidate, place);
    for (let at = table.bindStarts[candidate]!; at < table.bindStarts[candidate + 1]!; at++)
      scores[table.binds[at]!] = 0;
  }
  return selection.excerpts();
}

function retractedIn(
  { isRetracted }: Pick<ExcerptRequest, "isRetracted">,
  table: CandidateTable,
  { entries, readingOf }: Occurrences,
): (candidate: number) => boolean {
  if (isRetracted === undefined) return () => false;
  return (candidate) => {
    const { message, range } = table.candidates[candidate]!;
    const entry = entries[message]!;
    if (entry.message.role !== "assistant") return false;
    return isRetracted(message, readingOf(entry).text.slice(range.start, range.end));
  };
}

interface PresentText extends Pick<CoverageInput, "named"> {
  readonly text: string;
}

/** Whether the result says a passage already: words of a person or the assistant, or an error, also inside a longer line. */
function saidIn(
  { text, named }: PresentText,
  table: CandidateTable,
  { entries, readingOf }: Occurrences,
): (candidate: number) => boolean {
  const namesAll = (candidate: number): boolean => {
    const end = table.bindStarts[candidate + 1]!;
    let at = table.bindStarts[candidate]!;
    while (at < end && named[table.binds[at]!] === 1) at++;
    return at === end;
  };
  return (candidate) => {
    const { message, range } = table.candidates[candidate]!;
    const entry = entries[message]!;
    const mayBe = entry.message.role !== "tool" || table.isError(candidate);
    // Most hold a name that the result does not: the text is searched for few.
    return mayBe && namesAll(candidate) && text.includes(readingOf(entry).text.slice(range.start, range.end));
  };
}

/** One line of a log shows what all are; errors are distinguished by their values, and each is quoted once. */
function createShapes({ entries, readingOf }: Occurrences, table: CandidateTable) {
  const seen = new Set<number>();
  const errors = new Set<string>();
  const errorText = (candidate: number): string => {
    const { start, end } = table.candidates[candidate]!.range;
    return readingOf(entries[table.messages[candidate]!]!).text.slice(start, end);
  };
  const isOfTool = (candidate: number): boolean => entries[table.messages[candidate]!]!.message.role === "tool";
  return {
    isNew: (candidate: number): boolean => {
      if (!isOfTool(candidate)) return true;
      return table.isError(candidate) ? !errors.has(errorText(candidate)) : !seen.has(table.shapeOf(candidate));
    },
    add: (candidate: number): void => {
      if (!isOfTool(candidate)) return;
      if (table.isError(candidate)) errors.add(errorText(candidate));
      else seen.add(table.shapeOf(candidate));
    },
  };
}

/** What an error is worth beside the names in it, more than any name: errors come first. */
const ERROR_WORTH = 3;

/** What a candidate is worth as things are now: `scores` go down while it is asked. */
function createWorth(
  { binds, bindStarts, shares, isError }: CandidateTable,
  scores: Float64Array,
): (candidate: number) => number {
  return (candidate) => {
    const end = bindStarts[candidate + 1]!;
    let worth = 0;
    for (let at = bindStarts[candidate]!; at < end; at++) worth += scores[binds[at]!]!;
    return worth * shares[candidate]! + (isError(candidate) ? ERROR_WORTH : 0);
  };
}

function orderPrice(lead: number, tokens: number, instead = 0): number {
  return Math.max(PRICE_LEAST, SOURCE_SHARE_IN_ORDER * lead + tokens - instead);
}

/** What comes along for nothing has a price all the same: otherwise it would be worth anything. */
const PRICE_LEAST = 0.5;
/** An candidate whose worth fell by less is still the best. */
const SAME_SHARE = 0.999;

function candidatesOf(
  { scores, occurrences }: CoverageInput,
  table: CandidateTable,
  request: ExcerptRequest,
): readonly number[] {
  const [from, until] = [request.from ?? 0, request.until ?? occurrences.entries.length];
  const names = likeliest(scores, NAMES_BEYOND + Math.ceil((request.budget / PRICE_TOKENS) * OVERSAMPLING));
  const candidates: number[] = [];
  const offer = (candidate: number, isError: boolean): void => {
    const message = table.messages[candidate]!;
    const isSettled = isError && request.settled?.has(message) === true;
    const isWanted = request.onlyResults !== true || occurrences.entries[message]!.message.role === "tool";
    if (message >= from && message < until && !isSettled && isWanted) candidates.push(candidate);
  };
  const errors = new Set(table.errors());
  for (const candidate of errors) offer(candidate, true);
  for (const candidate of table.of(names)) {
    const isError = table.isError(candidate);
    if (!isError || !errors.has(candidate)) offer(candidate, isError);
  }
  return candidates;
}

/** The numbers of about that many of the highest scores. */
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

/** Puts an item where the first was, and lets it sink to its place. */
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
