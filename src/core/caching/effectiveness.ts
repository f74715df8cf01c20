/** How well a provider's cache served a session, over all its requests, from what the provider reported of each. */
import type { Usage } from "../engines/contract.ts";
import type { CachePrices } from "./schedule.ts";

/** Tokens of input that a session's requests came to. `input` includes what was read and written. */
export type CachedTokens = Pick<Usage, "input" | "cacheRead" | "cacheWrite">;

export interface CacheEffectiveness {
  /** Of all input, what was read from the cache: 0 to 1 (Dual Compression chapter, 16.5.3). */
  readonly hitRate: number;
  /** Of what the input would have cost without a cache, what was saved, writing paid for: negative where writing cost more. */
  readonly savedShare: number;
}

/** As Anthropic charges (Dual Compression chapter, 16.5): a tenth for reading, a quarter on top for writing. */
const PRICES: Pick<CachePrices, "read" | "write"> = { read: 0.1, write: 1.25 };

export const NO_TOKENS: CachedTokens = { input: 0, cacheRead: 0, cacheWrite: 0 };

export function addTokens(sum: CachedTokens, { input, cacheRead, cacheWrite }: CachedTokens): CachedTokens {
  return {
    input: sum.input + input,
    cacheRead: sum.cacheRead + cacheRead,
    cacheWrite: sum.cacheWrite + cacheWrite,
  };
}

/** Both are 0 before the first request. */
export function cacheEffectiveness(
  { input, cacheRead, cacheWrite }: CachedTokens,
  prices = PRICES,
): CacheEffectiveness {
  if (input === 0) return { hitRate: 0, savedShare: 0 };
  const saved = cacheRead * (1 - prices.read) - cacheWrite * (prices.write - 1);
  return { hitRate: cacheRead / input, savedShare: saved / input };
}
