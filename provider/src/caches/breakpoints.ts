/**
 * OpenAI's cache from gpt-5.6 on (its prompt caching guide, 2026-11; its SDK 7.57.0 of 13 November 2026): a prefix is written and
 * found at breakpoints only. In implicit mode the end of the newest message is one, beside those that the request sets; in
 * explicit mode only these, and without any nothing is cached. Four writes a request, the latest first.
 */
import { live, NO_CACHE_USE, prefixesOf, remember, type CachePlan, type CacheQuery } from "./entries.ts";

export interface BreakpointRules {
  readonly explicit: boolean;
  readonly ttlMs: number;
}

const WRITES_MAX = 4;
/** OpenAI looks for an earlier prefix at this many breakpoints, the latest ones, however many blocks lie between them. */
const LOOKED_AT_MAX = 80;

export function consultBreakpoints(query: CacheQuery, { explicit, ttlMs }: BreakpointRules): CachePlan {
  const { entries, prompt, traits, nowMs } = query;
  const { keys, tokens } = prefixesOf(query);
  const last = prompt.blocks.length - 1;
  const enough = (at: number): boolean => tokens[at]! >= traits.cacheMinimumTokens;
  const set = prompt.blocks.flatMap(({ marker }, at) => (marker === undefined ? [] : [at]));
  const ends = explicit ? [] : prompt.blocks.flatMap((block, at) => (block.ends === true ? [at] : []));
  const places = [...new Set([...set, ...ends])].sort((one, other) => one - other).filter(enough);
  const writing = new Set([...set, ...(explicit ? [] : [last])]);
  const found = places.slice(-LOOKED_AT_MAX).findLast((at) => live(entries, keys[at]!, nowMs) !== undefined);
  const cacheReadTokens = found === undefined ? 0 : tokens[found]!;
  const written = places.filter((at) => writing.has(at) && tokens[at]! > cacheReadTokens).slice(-WRITES_MAX);
  const writtenTo = written.at(-1);
  return {
    use: {
      ...NO_CACHE_USE,
      cacheReadTokens,
      cacheWriteTokens: writtenTo === undefined ? 0 : tokens[writtenTo]! - cacheReadTokens,
    },
    commit: () => {
      if (found !== undefined)
        remember(entries, keys[found]!, live(entries, keys[found]!, nowMs)?.ttlMs ?? ttlMs, nowMs);
      for (const at of written) remember(entries, keys[at]!, prompt.blocks[at]!.ttlMs ?? ttlMs, nowMs);
    },
  };
}
