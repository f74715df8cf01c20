/** The moments of a session that follow from its window, its fixed part and from when its engine compacts. */
import { limitsOf, type Limits } from "./compressor/limits.ts";
import type { Engine } from "./contract.ts";
import { stepIn } from "./room.ts";
import type { EngineSettings } from "./settings.ts";

/** The operator is told at this share of the way to the threshold (an earlier edition of the Hermes Agent docs). */
const PRESSURE_SHARE = 0.85;

/** A result of the default engine is what other engines are calculated to leave, unless they say more. */
export interface WindowLimits extends Limits {
  /** The operator hears of it. */
  readonly pressureTokens: number;
  /** The session compacts even where its engine does not want to: the limit, or the engine's own moment where that is later. */
  readonly hygieneTokens: number;
  /** The same, where the provider reports how full the window is and prices have it wait. */
  readonly latestTokens: number;
  /** What a compaction by itself has to free, and by how much the conversation grows before the next one. */
  readonly stepTokens: number;
  /** Nothing is compacted by itself. */
  readonly never: boolean;
}

type EngineMoments = Partial<Pick<Engine, "triggerTokens" | "compacts">>;

/** Of an engine that says from how many tokens on it compacts; the default engine's where it does not. */
export function windowLimits(engine: EngineMoments, settings: EngineSettings, fixedTokens = 0): WindowLimits {
  const limits = limitsOf(settings, fixedTokens);
  const { usableTokens, limitTokens } = limits;
  const thresholdTokens = figureAt(engine.triggerTokens, fixedTokens) ?? limits.thresholdTokens;
  const pressed = fixedTokens + PRESSURE_SHARE * (Math.min(thresholdTokens, usableTokens) - fixedTokens);
  const hygieneTokens = Math.min(Math.max(limitTokens, thresholdTokens), usableTokens);
  return {
    ...limits,
    thresholdTokens,
    pressureTokens: Math.floor(pressed),
    hygieneTokens,
    latestTokens: Math.max(hygieneTokens, limits.latestTokens),
    stepTokens: stepIn(limits, thresholdTokens),
    never: engine.compacts === false,
  };
}

/** What an engine says of itself, beside a fixed part of that many tokens. */
export function figureAt(figure: Engine["triggerTokens"], fixedTokens: number): number | undefined {
  return typeof figure === "function" ? figure(fixedTokens) : figure;
}
