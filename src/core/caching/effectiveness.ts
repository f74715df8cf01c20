/**
 * What a provider's cache did, by the usage that it reported: for one request, over a session, and how a system prompt is
 * ordered so that it does more.
 */
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

/** US dollars for a million tokens of input: at full price, read from the cache, written to it. */
interface InputPrices {
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

interface EffectQuery {
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

/** How long a piece stays as it is: over all sessions, for one session, for one task. */
export type Stability = "always" | "session" | "task";

export interface PromptPiece {
  readonly text: string;
  readonly lasts: Stability;
}

const ORDER: Readonly<Record<Stability, number>> = { always: 0, session: 1, task: 2 };

/** The pieces as one text, a blank line between two; those that last equally long keep their order. */
export function stableFirst(pieces: readonly PromptPiece[]): string {
  return pieces
    .filter(({ text }) => text.trim() !== "")
    .toSorted((a, b) => ORDER[a.lasts] - ORDER[b.lasts])
    .map(({ text }) => text)
    .join("\n\n");
}
