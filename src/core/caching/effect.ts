/**
 * What the cache did for one request, by the usage its provider reported: what reading it saved, what writing it cost,
 * and what had to be read afresh although it had been sent before.
 */
import type { Usage } from "../engines/contract.ts";

/** US dollars for a million tokens of input: at full price, read from the cache, written to it. */
export interface InputPrices {
  readonly inputUsdPerMtok: number;
  readonly cacheReadUsdPerMtok?: number;
  readonly cacheWrite5mUsdPerMtok?: number;
  readonly cacheWrite1hUsdPerMtok?: number;
}

export interface CacheEffect {
  /** Against reading everything at full price. */
  readonly savedUsd: number;
  /** What writing cost more than reading at full price. */
  readonly surchargeUsd: number;
  /** Tokens that were neither new nor read from the cache; undefined for a conversation's first request. */
  readonly missedTokens?: number;
  /** What these cost more than reading them from the cache would have. */
  readonly missedUsd?: number;
}

export interface EffectQuery {
  readonly usage: Usage;
  /** Estimated tokens that came since the request before; undefined where there was none. */
  readonly newTokens: number | undefined;
  /** Undefined where they are not known: then amounts of money are 0. */
  readonly prices: InputPrices | undefined;
  readonly ttl: "5m" | "1h";
}

const MTOK = 1_000_000;

export function effectOf({ usage, newTokens, prices, ttl }: EffectQuery): CacheEffect {
  const input = prices?.inputUsdPerMtok ?? 0;
  const read = prices?.cacheReadUsdPerMtok ?? input;
  const write = (ttl === "1h" ? prices?.cacheWrite1hUsdPerMtok : prices?.cacheWrite5mUsdPerMtok) ?? input;
  const saved = {
    savedUsd: (usage.cacheRead * (input - read)) / MTOK,
    surchargeUsd: (usage.cacheWrite * (write - input)) / MTOK,
  };
  if (newTokens === undefined) return saved;
  const missedTokens = Math.max(0, usage.input - usage.cacheRead - newTokens);
  return { ...saved, missedTokens, missedUsd: (missedTokens * (write - read)) / MTOK };
}
