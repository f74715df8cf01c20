/**
 * OpenAI's cache before gpt-5.6 (its prompt caching guide, 2026-11): by itself, for any prefix of 1,024 tokens or more
 * that a recent request began with, free to write. Prefixes are compared by whole blocks, which is what a client can
 * change; hits are counted in steps of 128 tokens, as OpenAI reports them.
 */
import { live, NO_CACHE_USE, prefixesOf, remember, type CachePlan, type CacheQuery } from "./entries.ts";

export const STEP_TOKENS = 128;
/** Without traffic an entry lives 5 to 10 minutes: the shorter one, so that nothing is counted on. */
const TTL_MS = 5 * 60_000;

export function consultAutomatic(query: CacheQuery): CachePlan {
  const { entries, traits, nowMs } = query;
  const { keys, tokens } = prefixesOf(query);
  const found = keys.findLastIndex((key) => live(entries, key, nowMs) !== undefined);
  const shared = found < 0 ? 0 : tokens[found]!;
  const cacheReadTokens = shared < traits.cacheMinimumTokens ? 0 : shared - (shared % STEP_TOKENS);
  return {
    use: { ...NO_CACHE_USE, cacheReadTokens },
    commit: () => {
      if ((tokens.at(-1) ?? 0) < traits.cacheMinimumTokens) return;
      for (const key of keys) remember(entries, key, TTL_MS, nowMs);
    },
  };
}
