/** The statistics of a session (Dual Compression chapter, 16.6), and the rest after an attempt that could not do enough. */
import {
  addTokens,
  cacheEffectiveness,
  NO_TOKENS,
  type CachedTokens,
  type CacheEffectiveness,
} from "../../caching/effectiveness.ts";
import type { CompactionReport } from "../../compaction/compaction.ts";
import type { Decision, Usage } from "../contract.ts";
import type { SacredZoneLimits } from "./limits.ts";

const STATE_SCHEMA_VERSION = 2;
/** What could not be made small enough is tried again when it has grown by as much. */
const GROWN_SINCE_STUCK = 1.1;

export interface SacredZoneState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly engine: "sacred-zone";
  readonly compactions: number;
  readonly savedTokens: number;
  /** Sum of the shares that each compaction saved. */
  readonly savedShares: number;
  /** No attempt is made up to here, in tokens. */
  readonly restsToTokens: number;
  /** What the provider reported of all requests. */
  readonly used: CachedTokens;
}

/** The cache's part is over all requests that a provider reported on. */
export interface SacredZoneStatistics extends CacheEffectiveness {
  readonly compactions: number;
  readonly savedTokens: number;
  /** What a compaction saves on average, as a share of what was sent before it; 0 before the first. */
  readonly averageRatio: number;
}

export function initialState(): SacredZoneState {
  const none = { compactions: 0, savedTokens: 0, savedShares: 0, restsToTokens: 0, used: NO_TOKENS };
  return { schemaVersion: STATE_SCHEMA_VERSION, engine: "sacred-zone", ...none };
}

/** A state of another version or engine counts as none. */
export function knownState(state: SacredZoneState | null | undefined): SacredZoneState {
  return state?.engine === "sacred-zone" && state.schemaVersion === STATE_SCHEMA_VERSION ? state : initialState();
}

/** What the compactions of a session came to, from the state in a record or a saved session. */
export function sacredZoneStatistics(state: unknown): SacredZoneStatistics {
  const { compactions, savedTokens, savedShares, used } = knownState(state as SacredZoneState | null);
  const averageRatio = compactions === 0 ? 0 : savedShares / compactions;
  return { compactions, savedTokens, averageRatio, ...cacheEffectiveness(used) };
}

export function observed(state: SacredZoneState, usage: Usage): SacredZoneState {
  return { ...state, used: addTokens(state.used, usage) };
}

export function decide(state: SacredZoneState, tokens: number, { triggerTokens }: SacredZoneLimits): Decision {
  if (tokens <= triggerTokens) return { kind: "none" };
  if (tokens > state.restsToTokens) return { kind: "compact", reason: "threshold", urgency: "now" };
  return { kind: "none", because: "what must stay is above the target by itself: start a fresh session" };
}

export function afterCompaction(state: SacredZoneState, report: CompactionReport): SacredZoneState {
  const { before, after } = report.tokens;
  return {
    ...state,
    compactions: state.compactions + 1,
    savedTokens: state.savedTokens + before - after,
    savedShares: state.savedShares + (before - after) / before,
    restsToTokens: report.irreducible === undefined ? 0 : Math.ceil(after * GROWN_SINCE_STUCK),
  };
}

export function afterFutileAttempt(state: SacredZoneState, tokens: number): SacredZoneState {
  return { ...state, restsToTokens: Math.ceil(tokens * GROWN_SINCE_STUCK) };
}
