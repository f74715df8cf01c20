/** What a prefix cache holds: prefixes by the hash of everything in them, each until its time is over. */
import { hash } from "node:crypto";
import { createRecentMap, type RecentMap } from "../../../src/store/recent-map.ts";
import type { Prompt, Ttl, TokenUse } from "../contract.ts";
import type { ModelTraits } from "../traits.ts";

export interface CacheEntry {
  readonly ttlMs: number;
  readonly expiresAtMs: number;
}

export type CacheEntries = RecentMap<CacheEntry>;

export const cacheEntries = (entriesMax: number): CacheEntries => createRecentMap<CacheEntry>({ entries: entriesMax });

/** Anthropic: two lifetimes. */
export const TTL_MS: Readonly<Record<Ttl, number>> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

/** One consultation: what it costs, and what becomes of the cache if the request is answered. */
export interface CachePlan {
  readonly use: Omit<TokenUse, "inputTokens">;
  readonly commit: () => void;
}

export interface CacheQuery {
  readonly entries: CacheEntries;
  /** Whose cache it is, the model and what else must be the same: a prefix is known within one scope only. */
  readonly scope: string;
  readonly prompt: Prompt;
  readonly traits: ModelTraits;
  readonly nowMs: number;
}

export interface Prefixes {
  /** For each block the name of the prefix that it ends. */
  readonly keys: readonly string[];
  /** For each block the tokens up to and with it. */
  readonly tokens: readonly number[];
}

/** Settings of the messages come in before the first message: changing them leaves tools and system as they were. */
export function prefixesOf({ scope, prompt }: Pick<CacheQuery, "scope" | "prompt">): Prefixes {
  const keys: string[] = [];
  const tokens: number[] = [];
  let key = hash("sha256", scope);
  let sum = 0;
  let inMessages = false;
  for (const block of prompt.blocks) {
    if (!inMessages && block.section === "messages") {
      key = hash("sha256", `${key}\n${prompt.messageSettings}`);
      inMessages = true;
    }
    key = hash("sha256", `${key}\n${block.section}\n${block.text}`);
    keys.push(key);
    tokens.push((sum += block.tokens));
  }
  return { keys, tokens };
}

export function live(entries: CacheEntries, key: string, nowMs: number): CacheEntry | undefined {
  const entry = entries.get(key);
  return entry !== undefined && nowMs < entry.expiresAtMs ? entry : undefined;
}

/** Reading gives an entry its whole time again. */
export function remember(entries: CacheEntries, key: string, ttlMs: number, nowMs: number): void {
  entries.set(key, { ttlMs, expiresAtMs: nowMs + ttlMs });
}

export const NO_CACHE_USE: CachePlan["use"] = Object.freeze({
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  cacheWriteTokens: 0,
});
