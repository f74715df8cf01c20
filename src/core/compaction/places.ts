/** What a compaction says of places, held against the conversation: each index is in it, and none is claimed twice. */
import { hold } from "../shapes.ts";
import type { Compaction, Destination, Evicted } from "./compaction.ts";

/** Throws a `ShapeError` at the first place that cannot be; `count` is how many messages the conversation has. */
export function holdPlaces({ covered, after, map, evicted }: Compaction, count: number, place: string): void {
  hold(covered > 0 && covered <= count, `${place}.covered`, () => `is ${covered}, of ${count} messages`);
  hold(map.length === covered, `${place}.map`, () => `has ${map.length} destinations of ${covered} messages`);
  holdDestinations(map, after.length, `${place}.map`);
  evicted.forEach((one, at) => holdRange(one, count, `${place}.evicted[${at}]`));
  holdNesting(evicted, `${place}.evicted`);
}

/** Engines may join rewritten messages in one; where a message is unchanged, no other does. */
function holdDestinations(map: readonly Destination[], length: number, place: string): void {
  const taken = new Map<number, Destination["kind"]>();
  map.forEach((destination, from) => {
    if (!("at" in destination)) return;
    const { kind, at } = destination;
    hold(at < length, `${place}[${from}].at`, () => `is ${at}, past the end of ${length} messages`);
    const other = taken.get(at);
    hold(
      other === undefined || (other === "edited" && kind === "edited"),
      `${place}[${from}].at`,
      () => `is ${at}, where another message is`,
    );
    taken.set(at, kind);
  });
}

function holdRange({ kind, message, end }: Evicted, count: number, place: string): void {
  hold(message < count, `${place}.message`, () => `is ${message}, past the end of ${count} messages`);
  if (kind !== "span") return;
  hold(
    end !== undefined && end > message && end <= count,
    `${place}.end`,
    () => `is ${end}, of a span that begins at ${message} in ${count} messages`,
  );
}

/** Spans may lie within one another, as summaries of summaries do; two that overlap otherwise stand for no conversation. */
function holdNesting(evicted: readonly Evicted[], place: string): void {
  const spans = evicted
    .flatMap(({ kind, message, end = message }, at) => (kind === "span" ? { from: message, until: end, at } : []))
    .sort((one, other) => one.from - other.from || other.until - one.until);
  const open: number[] = [];
  for (const { from, until, at } of spans) {
    while (open.length > 0 && open.at(-1)! <= from) open.pop();
    hold(until <= (open.at(-1) ?? Infinity), `${place}[${at}]`, () => "overlaps another span");
    open.push(until);
  }
}
