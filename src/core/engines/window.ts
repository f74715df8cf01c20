/** The moments of a session that follow from its window and from when its engine compacts. */
import { limitsOf, PRESSURE_THRESHOLD_SHARE, type Limits } from "./compressor/limits.ts";
import type { Engine } from "./contract.ts";
import type { EngineSettings } from "./settings.ts";

/** A result of the default engine is what other engines are reckoned to leave, unless they say more. */
export type WindowLimits = Limits;

/**
 * Of an engine that says from how many tokens on it compacts; the default engine's where it does not. Where that is no
 * earlier than the hygiene layer would, the layer waits for the window's end: it asks no model, and every compaction
 * would be its.
 */
export function windowLimits({ triggerTokens }: Pick<Engine, "triggerTokens">, settings: EngineSettings): WindowLimits {
  const limits = limitsOf(settings);
  if (triggerTokens === undefined) return limits;
  const late = triggerTokens >= limits.hygieneTokens;
  return {
    ...limits,
    thresholdTokens: triggerTokens,
    pressureTokens: Math.floor(triggerTokens * PRESSURE_THRESHOLD_SHARE),
    hygieneTokens: late ? limits.usableTokens : limits.hygieneTokens,
  };
}
