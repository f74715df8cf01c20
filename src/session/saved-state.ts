/** What `state()` gave, as it comes back from wherever its host kept it: every figure in its range, every index a place. */
import { engineStateShape } from "./engine-state-shape.ts";
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
import { FACTOR_MAX, FACTOR_MIN } from "./calibration.ts";
import { COOLDOWN_MS, type Cooldown } from "./cooldowns.ts";
import { STATE_SCHEMA_VERSION } from "./state.ts";
import type { SummarizerState } from "./summarizer.ts";
import { isThreshold } from "./threshold.ts";
import type { CompactionTiming } from "./timing.ts";
import type { WindowInUse, WindowOrigin } from "./window-in-use.ts";

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
