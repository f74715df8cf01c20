/** What a compaction looks like as data, independent of the engine, and held against the conversation: each index is in it, and none is claimed twice. */
import { anything, figure, index, kinds, listOf, maybe, oneOf, record, text, type Shape, hold } from "../shapes.ts";
import {
  COMPACTION_SCHEMA_VERSION,
  RECEIPT_FATES,
  RECEIPT_KINDS,
  type Compaction,
  type Destination,
  type Evicted,
} from "./compaction.ts";

const source: Shape = (value, place) => {
  record({ type: oneOf("data", "url", "id") })(value, place);
  const { type, mediaType, data, url, id } = value as Readonly<Record<string, unknown>>;
  if (type === "data") text(mediaType, `${place}.mediaType`);
  text(type === "data" ? data : type === "url" ? url : id, `${place}.${String(type)}`);
};

const CONTENT = {
  text: record({ text }),
  image: record({ source }),
  file: record({ source, name: maybe(text) }),
  opaque: record({ type: text, raw: text, declares: maybe(listOf(text)), told: maybe(text) }),
};

const part = kinds({
  ...CONTENT,
  reasoning: record({ text, required: maybe(oneOf(true)) }),
  "tool-call": record({ id: text, name: text, arguments: text, custom: maybe(oneOf(true)) }),
  "tool-result": record({ callId: text, content: listOf(kinds(CONTENT)), isError: maybe(oneOf(true)) }),
});

const content = {
  role: oneOf("system", "user", "assistant", "tool"),
  parts: listOf(part),
  name: maybe(text),
};

/** What this process read is frozen; the messages of one wire message share it, and it is not looked through for each. */
const wire: Shape = (value, place) => {
  record({ protocol: text, raw: text })(value, place);
  if (!Object.isFrozen(value)) record({ members: listOf(record(content)) })(value, place);
};

const messageShape = record({
  ...content,
  wire: maybe(wire),
  origin: maybe(oneOf("summary", "anchor", "note", "digest", "stub")),
});

const evictedShape = record({
  id: text,
  kind: oneOf("result", "arguments", "media", "text", "span"),
  message: index,
  end: maybe(index),
  original: maybe(text),
  label: text,
});

export const irreducibleShape = record({
  limit: figure,
  smallest: figure,
  because: text,
  code: maybe(oneOf("keep_requests", "pinned")),
});
const fates = record(Object.fromEntries(RECEIPT_FATES.map((fate) => [fate, index])));
const receiptCounts = record(Object.fromEntries(RECEIPT_KINDS.map((kind) => [kind, fates])));
const receiptLine = record({
  kind: oneOf(...RECEIPT_KINDS),
  text,
  message: maybe(index),
  fate: oneOf(...RECEIPT_FATES),
  id: maybe(text),
  by: maybe(index),
});
export const reasonShape = oneOf("threshold", "hygiene", "overflow", "payload", "explicit", "host", "budget", "cost");

const step = record({
  model: text,
  role: oneOf("auxiliary", "main", "provider"),
  outcome: oneOf("written", "failed", "rejected", "resting"),
  class: maybe(text),
  because: maybe(text),
  calls: figure,
  tokens: record({ input: figure, output: figure }),
  costUsd: maybe(figure),
  windowTokens: maybe(figure),
  restMs: maybe(figure),
});

const summary = record({
  by: oneOf("model", "ledger"),
  edited: maybe(oneOf(true)),
  because: maybe(text),
  steps: listOf(step),
  items: maybe(record({ kept: index, dropped: listOf(record({ because: text, count: index })) })),
});

const report = record({
  engine: text,
  reason: reasonShape,
  because: maybe(text),
  tokens: record({ before: figure, after: figure }),
  messages: record({
    before: index,
    after: index,
    kept: index,
    edited: index,
    summarised: index,
    removed: maybe(index),
  }),
  parts: record({ system: figure, tools: figure, head: figure, handoff: figure, anchor: figure, tail: figure }),
  rung: index,
  irreducible: maybe(irreducibleShape),
  degraded: listOf(text),
  recall: listOf(text),
  receipt: maybe(record({ counts: receiptCounts, lines: listOf(receiptLine) })),
  summary: maybe(summary),
  modelCalls: figure,
  costUsd: figure,
});

/** What is put in place: all but the account of it. */
const applied = {
  schemaVersion: oneOf(COMPACTION_SCHEMA_VERSION),
  after: listOf(messageShape),
  covered: index,
  covers: text,
  system: maybe(listOf(messageShape)),
  map: listOf(
    kinds({ kept: record({ at: index }), edited: record({ at: index }), summarised: anything, removed: anything }),
  ),
  evicted: listOf(evictedShape),
  byHand: maybe(listOf(record({ from: index, end: index, how: oneOf("compact", "drop") }))),
};

export const appliedShape = record(applied);
export const compactionShape = record({ ...applied, report });

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
