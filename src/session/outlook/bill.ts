/** What a session's requests cost while a cache keeps what was sent last: each reads what is unchanged and writes the rest. */
import { costOf, type Prices } from "../../models/usage.ts";

export interface AskedRequest {
  readonly tokens: number;
  readonly outputTokens: number;
  /** Tokens at its beginning that the request before began with too. */
  readonly unchangedTokens: number;
  readonly atMs: number | undefined;
}

export interface Meter {
  readonly ask: (request: AskedRequest) => void;
  /** Tokens of all requests. */
  readonly inputTokens: () => number;
  /** US dollars; undefined where the model's prices are not known. */
  readonly usd: () => number | undefined;
}

export interface MeterTerms {
  readonly prices: Prices | undefined;
  /** How long what was sent stays in the cache. */
  readonly ttlMs: number;
}

/** A simple cache: one conversation, everything that is sent is written. `precis-eval replay` has the vendors' rules. */
export function createMeter({ prices, ttlMs }: MeterTerms): Meter {
  let [inputTokens, usd, held] = [0, 0, 0];
  let last: number | undefined;
  const ask = ({ tokens, outputTokens, unchangedTokens, atMs }: AskedRequest): void => {
    const expired = last !== undefined && atMs !== undefined && atMs - last >= ttlMs;
    const cacheReadTokens = expired ? 0 : Math.min(unchangedTokens, held, tokens);
    const cacheWriteTokens = tokens - cacheReadTokens;
    inputTokens += tokens;
    if (prices !== undefined)
      usd += costOf({ inputTokens: tokens, outputTokens, cacheReadTokens, cacheWriteTokens }, prices);
    [held, last] = [tokens, atMs ?? last];
  };
  return { ask, inputTokens: () => inputTokens, usd: () => (prices === undefined ? undefined : usd) };
}
