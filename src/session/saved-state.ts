/** What `state()` gave, as it comes back from wherever its host kept it: every figure in its range, every index a place. */
import { engineStateShape } from "../core/engines/state-shape.ts";
import { PrecisError } from "../core/errors.ts";
import { figure, hold, index, isA, isRecord, listOf, maybe, oneOf, record, ShapeError, text } from "../core/shapes.ts";
import { FACTOR_MAX, FACTOR_MIN } from "./calibration.ts";
import { COOLDOWN_MS, type Cooldown } from "./cooldowns.ts";
import { STATE_SCHEMA_VERSION } from "./state.ts";
import type { SummarizerState } from "./summarizer.ts";
import { isThreshold } from "./threshold.ts";
import type { CompactionTiming } from "./timing.ts";

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

const stateShape = record({
  engine: engineStateShape,
  contextLength: windowTokens,
  maxOutputTokens: maybe(index),
  factor,
  pressed: oneOf(true, false),
  lastCovers: maybe(text),
  compactions: index,
  savedTokens: figure,
  summarizer: maybe(summarizer),
  timing: maybe(timing),
});

/** When a session compacts, by its saved state; undefined where that does not say it. */
export function savedTiming(state: unknown): CompactionTiming | undefined {
  const saved = isRecord(state) && state["schemaVersion"] === STATE_SCHEMA_VERSION ? state["timing"] : undefined;
  try {
    timing(saved, "state.timing");
    return saved as CompactionTiming;
  } catch {
    return undefined;
  }
}

/** What a session's engine remembers, by its saved state; undefined where that does not say it. */
export function savedEngineState(state: unknown): unknown {
  const saved = isRecord(state) && state["schemaVersion"] === STATE_SCHEMA_VERSION ? state["engine"] : undefined;
  try {
    engineStateShape(saved, "state.engine");
    return saved;
  } catch {
    return undefined;
  }
}

/** The models that a session leaves alone, by its saved state. */
export function savedRests(state: unknown): readonly Cooldown[] {
  const saved = isRecord(state) && state["schemaVersion"] === STATE_SCHEMA_VERSION ? state["summarizer"] : undefined;
  try {
    summarizer(saved, "state.summarizer");
    return (saved as SummarizerState).rests;
  } catch {
    return [];
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
