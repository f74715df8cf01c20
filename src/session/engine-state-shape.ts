/**
 * What the state of a built-in engine looks like. Engines take their own states as they are: one that comes from outside
 * is looked through first.
 */
import { isPlain } from "../plugins/suite/fault.ts";
import { figure, hold, index, isA, isRecord, listOf, maybe, record, text, type Shape } from "../core/shapes.ts";
import type { Range } from "../core/engines/layered/clearing.ts";

const tokens = isA((value) => Number.isFinite(value) && (value as number) >= 0, "a number of tokens");
const written = maybe(record({ recall: text, until: index, items: maybe(listOf(text)) }));
const course = { compactions: index, restsToTokens: tokens, written };

const stretch: Shape = (value, place) => {
  record({ from: index, until: index })(value, place);
  const { from, until } = value as Range;
  hold(until > from, `${place}.until`, () => `is ${until}, of a stretch that begins at ${from}`);
};

/** In order, none overlapping another. */
const stretches: Shape = (value, place) => {
  listOf(stretch)(value, place);
  (value as readonly Range[]).forEach(({ from }, at, all) => {
    const { until } = all[at - 1] ?? { until: 0 };
    hold(from >= until, `${place}[${at}].from`, () => `is ${from}, in a stretch that ends at ${until}`);
  });
};

const nodeFields = { id: text, depth: index, link: text, sources: listOf(text), stands: tokens };
const node = both(stretch, record(nodeFields));

const tiles: Shape = (value, place) =>
  (value as readonly Range[]).forEach(({ from }, at, all) => {
    const until = all[at - 1]?.until ?? 0;
    hold(from === until, `${place}[${at}].from`, () => `is ${from}, where ${until} follows`);
  });

const roots = both(both(stretches, listOf(record({ ...nodeFields, text, tokens }))), tiles);

/** By the name and the version that a state bears; the default engine's bears no name. */
const SHAPES: Readonly<Record<string, Shape>> = {
  "compressor 1": record({ compactions: index, ineffective: index, written }),
  "handoff 1": record(course),
  "layered 1": record({
    ...course,
    failures: index,
    messages: index,
    cleared: stretches,
    summarisedUntil: isA((value) => Number.isSafeInteger(value) && (value as number) >= -1, "-1 or a whole number"),
    memory: maybe(recordOf(listOf(text))),
  }),
  "lossless 1": record({ quietToTokens: tokens, dag: record({ roots, buried: listOf(node) }) }),
  "sacred-zone 2": record({
    compactions: index,
    savedTokens: figure,
    savedShares: figure,
    restsToTokens: tokens,
    written,
    used: record({ input: tokens, cacheRead: tokens, cacheWrite: tokens }),
  }),
  "stepped 1": record({ ...course, hidden: listOf(record({ id: text, message: index, at: maybe(figure) })) }),
};

/** Any state that an engine may have left. Of those that are not known nothing is asked but that they are plain data. */
export const engineStateShape: Shape = (value, place) => {
  hold(isPlain(value), place, () => "is not plain data");
  if (!isRecord(value)) return;
  const { engine = "ineffective" in value ? "compressor" : "", schemaVersion } = value;
  SHAPES[`${String(engine)} ${String(schemaVersion)}`]?.(value, place);
};

function both(one: Shape, other: Shape): Shape {
  return (value, place) => {
    one(value, place);
    other(value, place);
  };
}

function recordOf(shape: Shape): Shape {
  return (value, place) => {
    record({})(value, place);
    for (const [name, one] of Object.entries(value as object)) shape(one, `${place}.${name}`);
  };
}
