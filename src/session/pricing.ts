/** What a provider's cache makes of a compaction's price, from what is known of its model. */
import { AUTOMATIC, BREAKPOINTS, TTL_MS } from "../protocols/caching/prefix-cache.ts";
import type { Schedule } from "../core/caching/schedule.ts";
import type { Ttl } from "../core/caching/breakpoints.ts";
import type { ModelFacts } from "../models/registry/facts.ts";
import type { Economy } from "./contract.ts";

export interface PricedBy {
  readonly schedule: Schedule;
  /** Cached where requests mark it, for `ttl`; else by itself. */
  readonly marked: boolean;
  readonly ttl: Ttl;
}

/** Undefined where the price of reading from the cache is not known. */
export function economyFrom({ prices, cache }: ModelFacts, { schedule, marked, ttl }: PricedBy): Economy | undefined {
  if (prices?.cacheReadUsdPerMtok === undefined) return undefined;
  const { inputUsdPerMtok: input, outputUsdPerMtok: output, cacheReadUsdPerMtok: read } = prices;
  const write = (marked && ttl === "1h" ? prices.cacheWrite1hUsdPerMtok : prices.cacheWrite5mUsdPerMtok) ?? input;
  const ttlMs = marked ? TTL_MS[ttl] : cache?.markersMax === undefined ? AUTOMATIC.ttlMs : BREAKPOINTS.ttlMs;
  return { schedule, prices: { read: read / input, write: write / input, output: output / input }, ttlMs };
}
