/** What `state()` gave, as it comes back from wherever its host kept it: every figure in its range, every index a place. */
import { PrecisError } from "../core/errors.ts";
import {
  figure,
  hold,
  index,
  isA,
  isRecord,
  listOf,
  maybe,
  oneOf,
  record,
  ShapeError,
  text,
  type Shape,
} from "../core/shapes.ts";
import { FACTOR_MAX, FACTOR_MIN, STATE_SCHEMA_VERSION } from "./state.ts";
import { COOLDOWN_MS, type Cooldown } from "./cooldowns.ts";
import type { SummarizerState } from "./summarizer.ts";
import { isThreshold } from "./threshold.ts";
import type { CompactionTiming, WindowInUse, WindowOrigin } from "./timing.ts";
import { isPlain } from "../plugins/suite/fault.ts";
import type { Range } from "../core/engines/layered/clearing.ts";

const windowTokens = isA((value) => Number.isSafeInteger(value) && (value as number) > 0, "a window in tokens");
const costUsd = isA((value) => Number.isFinite(value) && (value as number) >= 0, "a number of dollars");
const factor = isA(
  (value) => typeof value === "number" && value >= FACTOR_MIN && value <= FACTOR_MAX,
  `a number from ${FACTOR_MIN} to ${FACTOR_MAX}`,
);

const rest = record({
  model: text,
  role: oneOf("auxiliary", "main"),
  class: oneOf(...Object.keys(COOLDOWN_MS)),
  until: figure,
});

const summarizer = record({
  rests: listOf(rest),
  calls: index,
  costUsd,
  windows: (value, place) => {
    record({})(value, place);
    for (const [model, tokens] of Object.entries(value as object))
      windowTokens(tokens, `${place}[${JSON.stringify(model)}]`);
  },
});

const threshold = isA(isThreshold, "a share of the window or a number of tokens");

const timing = record({
  thresholdTokens: index,
  set: maybe(threshold),
  compactsAtTokens: maybe(index),
  postponed: maybe(record({ by: oneOf("prices", "back_off", "undone", "writing"), because: text })),
});

const learned = record({
  by: oneOf("named", "refused"),
  refusedTokens: figure,
  countsOutput: oneOf(true, false),
  at: figure,
  until: maybe(figure),
  upstream: maybe(text),
});

const windowOrigin: Shape = (value, place) => {
  record({ from: oneOf("setting", "registry", "assumed", "learned") })(value, place);
  const { from, learned: why } = value as WindowOrigin;
  if (from === "learned") learned(why, `${place}.learned`);
};

const window: Shape = (value, place) => {
  record({ tokens: windowTokens })(value, place);
  windowOrigin(value, place);
};

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
    memory: maybe(recordsOfShape(listOf(text))),
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
const engineStateShape: Shape = (value, place) => {
  hold(isPlain(value), place, () => "is not plain data");
  if (!isRecord(value)) return;
  const { engine = "ineffective" in value ? "compressor" : "", schemaVersion } = value;
  SHAPES[`${String(engine)} ${String(schemaVersion)}`]?.(value, place);
};

const stateShape = record({
  engine: engineStateShape,
  contextLength: windowTokens,
  window: maybe(window),
  maxOutputTokens: maybe(index),
  fixedTokens: maybe(index),
  factor,
  pressed: oneOf(true, false),
  lastCovers: maybe(text),
  compactions: index,
  savedTokens: figure,
  summarizer: maybe(summarizer),
  timing: maybe(timing),
});

/** A window's origin as `report()` answers it. */
export function isWindowOrigin(value: unknown): boolean {
  return fits(value, windowOrigin, "window");
}

/** When a session compacts, by its saved state; undefined where that does not say it. */
export function savedTiming(state: unknown): CompactionTiming | undefined {
  return savedMember(state, "timing", timing) as CompactionTiming | undefined;
}

/** The window that a session worked with, by its saved state; undefined where that does not say it. */
export function savedWindow(state: unknown): WindowInUse | undefined {
  return savedMember(state, "window", window) as WindowInUse | undefined;
}

/** What its reported usage taught of a session's size, by its saved state. */
export function savedScale(state: unknown): { readonly factor?: number; readonly fixedTokens?: number } {
  const scale = { factor: savedMember(state, "factor", factor), fixedTokens: savedMember(state, "fixedTokens", index) };
  return scale as ReturnType<typeof savedScale>;
}

/** What a session's engine remembers, by its saved state; undefined where that does not say it. */
export function savedEngineState(state: unknown): unknown {
  return savedMember(state, "engine", engineStateShape);
}

/** The models that a session leaves alone, by its saved state. */
export function savedRests(state: unknown): readonly Cooldown[] {
  return (savedMember(state, "summarizer", summarizer) as SummarizerState | undefined)?.rests ?? [];
}

/** One member of a saved state; undefined where it is not there in the form that this version writes. */
function savedMember(state: unknown, name: string, shape: Shape): unknown {
  const saved = isRecord(state) && state["schemaVersion"] === STATE_SCHEMA_VERSION ? state[name] : undefined;
  return fits(saved, shape, `state.${name}`) ? saved : undefined;
}

function fits(value: unknown, shape: Shape, place: string): boolean {
  try {
    shape(value, place);
    return true;
  } catch {
    return false;
  }
}

/** A state of another version is ignored, so nothing is asked of it. Throws `bad_options` with the place. */
export function checkSavedState(state: unknown, call: string): void {
  if (state === undefined) return;
  try {
    hold(isRecord(state), "state", () => "is no state");
    figure(state["schemaVersion"], "state.schemaVersion");
    if (state["schemaVersion"] === STATE_SCHEMA_VERSION) stateShape(state, "state");
  } catch (cause) {
    const isOurs = cause instanceof ShapeError;
    throw new PrecisError(`${call}: ${isOurs ? cause.message : "the state cannot be read"}`, {
      code: "bad_options",
      place: isOurs ? cause.place : "state",
      hint: "Pass the result of `state()` unchanged, or leave it out.",
      ...(isOurs ? {} : { cause }),
    });
  }
}

function both(one: Shape, other: Shape): Shape {
  return (value, place) => {
    one(value, place);
    other(value, place);
  };
}

function recordsOfShape(shape: Shape): Shape {
  return (value, place) => {
    record({})(value, place);
    for (const [name, one] of Object.entries(value as object)) shape(one, `${place}.${name}`);
  };
}
