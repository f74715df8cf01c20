/** The statistics of a session (Dual Compression chapter, 16.6), and the rest after an attempt that could not do enough. */
import {
  addTokens,
  cacheEffectiveness,
  NO_TOKENS,
  type CachedTokens,
  type CacheEffectiveness,
} from "../../caching/effectiveness.ts";
import type { LastModelHandoff } from "../../compaction/run/model-record.ts";
import type { States } from "../../compaction/run/policy.ts";
import { backOff, dueAt, retryFrom, stateOf } from "../../compaction/run/state.ts";
import type { Decision } from "../contract.ts";
import type { SacredZoneGoal, SacredZoneLimits } from "./limits.ts";

const STATE_SCHEMA_VERSION = 2;

export interface SacredZoneState {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  readonly engine: "sacred-zone";
  readonly compactions: number;
  readonly savedTokens: number;
  /** Sum of the shares that each compaction saved. */
  readonly savedShares: number;
  /** No attempt is made up to here, in tokens. */
  readonly restsToTokens: number;
  /** The summary that the session restarted from, where a model wrote it. */
  readonly written?: LastModelHandoff;
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

const FRESH: SacredZoneState = {
  schemaVersion: STATE_SCHEMA_VERSION,
  engine: "sacred-zone",
  compactions: 0,
  savedTokens: 0,
  savedShares: 0,
  restsToTokens: 0,
  used: NO_TOKENS,
};

export const SACRED_ZONE_STATES: States<SacredZoneState, SacredZoneGoal> = {
  fresh: FRESH,
  own: (given) => stateOf(FRESH, given),
  observe: (state, usage) => ({ ...state, used: addTokens(state.used, usage) }),
  afterCompaction: ({ state: { written: _, ...state } }, { report, written }) => {
    const { before, after } = report.tokens;
    return {
      ...state,
      ...(written === undefined ? {} : { written }),
      compactions: state.compactions + 1,
      savedTokens: state.savedTokens + before - after,
      savedShares: state.savedShares + (before - after) / before,
      restsToTokens: report.irreducible === undefined ? 0 : retryFrom(after),
    };
  },
  afterFutileAttempt: ({ state, before }) => backOff(state, before),
};

/** What the compactions of a session came to, from the state in a record or a saved session. */
export function sacredZoneStatistics(state: unknown): SacredZoneStatistics {
  const { compactions, savedTokens, savedShares, used } = stateOf(FRESH, state);
  const averageRatio = compactions === 0 ? 0 : savedShares / compactions;
  return { compactions, savedTokens, averageRatio, ...cacheEffectiveness(used) };
}

const RESTS = "what must be kept is above the target already: start a fresh session";

/** Due above the trigger. */
export function decide({ restsToTokens }: SacredZoneState, tokens: number, limits: SacredZoneLimits): Decision {
  return tokens <= limits.triggerTokens ? { kind: "none" } : dueAt(limits.triggerTokens, tokens, restsToTokens, RESTS);
}
