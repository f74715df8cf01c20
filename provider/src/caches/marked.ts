/**
 * Anthropic's cache (its prompt caching docs, 2026-11). Each marker looks back over twenty blocks, itself counted, for a
 * prefix that an earlier marker wrote; the longest one found is read, and every marker behind it writes. Below the
 * model's minimum a marker does nothing, silently. What is between the read prefix and the last 1-hour marker is
 * written for an hour, the rest for five minutes.
 */
import type { Ttl } from "../contract.ts";
import {
  live,
  NO_CACHE_USE,
  prefixesOf,
  remember,
  TTL_MS,
  type CacheEntry,
  type CachePlan,
  type CacheQuery,
} from "./entries.ts";

interface Marked {
  readonly at: number;
  readonly ttl: Ttl;
  readonly tokens: number;
}

const NOTHING: CachePlan = { use: NO_CACHE_USE, commit: () => undefined };

interface Hit {
  readonly key: string;
  readonly tokens: number;
  readonly entry: CacheEntry;
}

export function consultMarked(query: CacheQuery): CachePlan {
  const { entries, prompt, traits, nowMs } = query;
  if (!prompt.blocks.some(({ marker }) => marker !== undefined)) return NOTHING;
  const { keys, tokens } = prefixesOf(query);
  const markers = prompt.blocks
    .flatMap(({ marker }, at): Marked[] => (marker === undefined ? [] : [{ at, ttl: marker, tokens: tokens[at]! }]))
    .filter((marker) => marker.tokens >= traits.cacheMinimumTokens);
  if (markers.length === 0) return NOTHING;
  const lookBack = ({ at }: Marked): Hit | undefined => {
    for (let back = at; back >= 0 && back > at - traits.lookbackBlocks; back--) {
      const entry = live(entries, keys[back]!, nowMs);
      if (entry !== undefined) return { key: keys[back]!, tokens: tokens[back]!, entry };
    }
    return undefined;
  };
  const hits = markers.map(lookBack).filter((hit) => hit !== undefined);
  const cacheReadTokens = hits.reduce((most, hit) => Math.max(most, hit.tokens), 0);
  const behind = markers.filter((marker) => marker.tokens > cacheReadTokens);
  const end = (last: Marked | undefined): number => last?.tokens ?? cacheReadTokens;
  const hourEnd = end(behind.findLast(({ ttl }) => ttl === "1h"));
  return {
    use: {
      ...NO_CACHE_USE,
      cacheReadTokens,
      cacheWrite1hTokens: hourEnd - cacheReadTokens,
      cacheWrite5mTokens: end(behind.at(-1)) - hourEnd,
    },
    commit: () => {
      for (const { key, entry } of hits) remember(entries, key, entry.ttlMs, nowMs);
      for (const { at, ttl } of behind) remember(entries, keys[at]!, TTL_MS[ttl], nowMs);
    },
  };
}
