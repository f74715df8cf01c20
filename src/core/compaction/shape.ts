/** What a compaction looks like as data, independent of the engine. */
import { anything, figure, index, kinds, listOf, maybe, oneOf, record, text, type Shape } from "../shapes.ts";
import { COMPACTION_SCHEMA_VERSION, RECEIPT_FATES, RECEIPT_KINDS } from "./compaction.ts";

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
  opaque: record({ type: text, raw: text, declaresTools: maybe(oneOf(true)), told: maybe(text) }),
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

const message = record({
  ...content,
  wire: maybe(wire),
  origin: maybe(oneOf("summary", "anchor", "note", "digest", "stub")),
});

const evicted = record({
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
export const reasonShape = oneOf("threshold", "hygiene", "overflow", "payload", "explicit", "budget", "cost");

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
  after: listOf(message),
  covered: index,
  covers: text,
  system: maybe(listOf(message)),
  map: listOf(
    kinds({ kept: record({ at: index }), edited: record({ at: index }), summarised: anything, removed: anything }),
  ),
  evicted: listOf(evicted),
  byHand: maybe(listOf(record({ from: index, end: index, how: oneOf("compact", "drop") }))),
};

export const appliedShape = record(applied);
export const compactionShape = record({ ...applied, report });
