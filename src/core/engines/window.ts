/** The moments of a session that follow from its window and from when its engine compacts. */
import { limitsOf, PRESSURE_THRESHOLD_SHARE, type Limits } from "./compressor/limits.ts";
import type { Engine } from "./contract.ts";
import type { EngineSettings } from "./settings.ts";

/** A result of the default engine is what other engines are calculated to leave, unless they say more. */
export type WindowLimits = Limits;

/**
 * Of an engine that says from how many tokens on it compacts; the default engine's where it does not. The hygiene layer is at
 * its share of the window also where the engine would compact later.
 */
export function windowLimits({ triggerTokens }: Pick<Engine, "triggerTokens">, settings: EngineSettings): WindowLimits {
  const limits = limitsOf(settings);
  if (triggerTokens === undefined) return limits;
  return {
    ...limits,
    thresholdTokens: triggerTokens,
    pressureTokens: Math.floor(Math.min(triggerTokens, limits.hygieneTokens) * PRESSURE_THRESHOLD_SHARE),
  };
}
