/** What one request costs by the price table: each kind of token at its price, so that the parts can be shown. */
import type { CacheUse } from "./prefix-cache.ts";
import type { Prices } from "../../../src/models/index.ts";

/** US dollars. */
export interface Bill {
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
  /** Summaries, as far as a model is assumed to write them. */
  readonly summaries: number;
}

export const NOTHING_TO_PAY: Bill = Object.freeze({ fresh: 0, read: 0, written: 0, output: 0, summaries: 0 });

const MTOK = 1_000_000;

/** Tokens that are neither read from the cache nor written to it. */
export function freshTokens({ input, read, write5m, write1h, write }: CacheUse): number {
  return input - read - write5m - write1h - write;
}

/** What the cache gave or took is charged as plain input where its price is not known; so is a write that is free. */
export function billOf(use: CacheUse, outputTokens: number, prices: Prices): Bill {
  const { inputUsdPerMtok: input, outputUsdPerMtok: output, longPrompt } = prices;
  const isLong = longPrompt !== undefined && use.input > longPrompt.aboveTokens;
  const [inputFactor, outputFactor] = isLong ? [longPrompt.inputFactor, longPrompt.outputFactor] : [1, 1];
  const short = prices.cacheWrite5mUsdPerMtok ?? input;
  const written = (use.write5m + use.write) * short + use.write1h * (prices.cacheWrite1hUsdPerMtok ?? input);
  return {
    fresh: (freshTokens(use) * input * inputFactor) / MTOK,
    read: (use.read * (prices.cacheReadUsdPerMtok ?? input) * inputFactor) / MTOK,
    written: (written * inputFactor) / MTOK,
    output: (outputTokens * output * outputFactor) / MTOK,
    summaries: 0,
  };
}

export function addedBills(one: Bill, other: Bill): Bill {
  return {
    fresh: one.fresh + other.fresh,
    read: one.read + other.read,
    written: one.written + other.written,
    output: one.output + other.output,
    summaries: one.summaries + other.summaries,
  };
}

export function usdOf({ fresh, read, written, output, summaries }: Bill): number {
  return fresh + read + written + output + summaries;
}
