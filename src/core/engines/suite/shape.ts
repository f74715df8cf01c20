/**
 * What an engine's answers look like, field by field: types hold what is compiled with us, not what a plugin in plain
 * JavaScript, or one of another version, answers with. The fault names the field.
 */
import { COMPACTION_SCHEMA_VERSION, LOSS_KINDS } from "../../compaction/compaction.ts";
import type { Decision, Outcome } from "../contract.ts";
import { demand } from "./fault.ts";

/** Throws an `EngineFault` where a value is not what it should be; `place` says where it stands. */
type Shape = (value: unknown, place: string) => void;

const isA =
  (holds: (value: unknown) => boolean, what: string): Shape =>
  (value, place) =>
    demand(holds(value), "shape", () => `${place} is ${shown(value)}, not ${what}`);

const text = isA((value) => typeof value === "string", "a text");
const figure = isA((value) => Number.isFinite(value), "a number");
const index = isA((value) => Number.isSafeInteger(value) && (value as number) >= 0, "a whole number");
const anything: Shape = () => undefined;

function oneOf(...values: readonly (string | number | boolean)[]): Shape {
  return isA((value) => values.includes(value as string), values.map((one) => JSON.stringify(one)).join(" or "));
}

function maybe(shape: Shape): Shape {
  return (value, place) => void (value === undefined || shape(value, place));
}

function listOf(item: Shape): Shape {
  return (value, place) => {
    demand(Array.isArray(value), "shape", () => `${place} is ${shown(value)}, not a list`);
    demand(Object.keys(value).length === value.length, "shape", () => `${place} has holes`);
    value.forEach((one, at) => item(one, `${place}[${at}]`));
  };
}

function record(fields: Readonly<Record<string, Shape>>): Shape {
  return (value, place) => {
    demand(isRecord(value), "shape", () => `${place} is ${shown(value)}, not an object`);
    for (const [name, shape] of Object.entries(fields)) shape(value[name], `${place}.${name}`);
  };
}

/** One of several records, told by their `kind`. */
function kinds(variants: Readonly<Record<string, Shape>>): Shape {
  const kind = oneOf(...Object.keys(variants));
  return (value, place) => {
    demand(isRecord(value), "shape", () => `${place} is ${shown(value)}, not an object`);
    kind(value["kind"], `${place}.kind`);
    variants[value["kind"] as string]!(value, place);
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const SHOWN_CHARS_MAX = 40;

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, SHOWN_CHARS_MAX));
  if (Array.isArray(value)) return "a list";
  if (value === undefined) return "missing";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

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
  opaque: record({ type: text, raw: text }),
};

const part = kinds({
  ...CONTENT,
  reasoning: record({ text }),
  "tool-call": record({ id: text, name: text, arguments: text, custom: maybe(oneOf(true)) }),
  "tool-result": record({ callId: text, content: listOf(kinds(CONTENT)), isError: maybe(oneOf(true)) }),
});

const message = record({
  role: oneOf("system", "user", "assistant", "tool"),
  parts: listOf(part),
  name: maybe(text),
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

const irreducible = record({ limit: figure, smallest: figure, because: text, code: maybe(oneOf("keep_requests")) });
const loss = record({ absent: index, unrecallable: index, examples: listOf(text) });
const reason = oneOf("threshold", "hygiene", "overflow", "payload", "explicit", "budget", "cost");

const step = record({
  model: text,
  role: oneOf("auxiliary", "main"),
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
  because: maybe(text),
  steps: listOf(step),
  items: maybe(record({ kept: index, dropped: listOf(record({ because: text, count: index })) })),
});

const report = record({
  engine: text,
  reason,
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
  irreducible: maybe(irreducible),
  degraded: listOf(text),
  recall: listOf(text),
  lost: record(Object.fromEntries(LOSS_KINDS.map((kind) => [kind, loss]))),
  summary: maybe(summary),
  modelCalls: figure,
  costUsd: figure,
});

const compaction = record({
  schemaVersion: oneOf(COMPACTION_SCHEMA_VERSION),
  after: listOf(message),
  covered: index,
  covers: text,
  system: maybe(listOf(message)),
  map: listOf(
    kinds({ kept: record({ at: index }), edited: record({ at: index }), summarised: anything, removed: anything }),
  ),
  evicted: listOf(evicted),
  report,
});

const outcome = kinds({
  compacted: record({ compaction }),
  unchanged: record({ because: text, irreducible: maybe(irreducible) }),
});

const decision = kinds({
  none: record({ because: maybe(text) }),
  compact: record({ reason, urgency: oneOf("soon", "now"), because: maybe(text) }),
});

export function demandOutcome(value: unknown): asserts value is Outcome {
  outcome(value, "the outcome");
}

export function demandDecision(value: unknown): asserts value is Decision {
  decision(value, "the decision");
}
