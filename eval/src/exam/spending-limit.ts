/** What an exam spends: every request is reserved at its largest before it is made, so the limit holds whatever comes back. */
import type { WriterUsage } from "../../../src/core/handoff/model/writer.ts";
import { costOf, type Prices } from "../../../src/models/ai-sdk.ts";

export interface Spending {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** As far as prices are known. */
  readonly costUsd: number;
  /** False where some request's price is not known. */
  readonly priced: boolean;
}

export interface SpendingLimit {
  /** False where the request could lead beyond the limit. Every reservation that was given is settled later. */
  readonly reserve: (largestUsd: number) => boolean;
  readonly settle: (largestUsd: number, usage: WriterUsage) => void;
  readonly spent: () => Spending;
}

export function createSpendingLimit(limitUsd = Infinity): SpendingLimit {
  let spent: Spending = { requests: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, priced: true };
  let reserved = 0;
  return {
    reserve: (largestUsd) => {
      if (spent.costUsd + reserved + largestUsd > limitUsd) return false;
      reserved += largestUsd;
      return true;
    },
    settle: (largestUsd, usage) => {
      reserved -= largestUsd;
      spent = sumOf(spent, usage);
    },
    spent: () => spent,
  };
}

function sumOf(spent: Spending, { requests, inputTokens, outputTokens, costUsd }: WriterUsage): Spending {
  return {
    requests: spent.requests + requests,
    inputTokens: spent.inputTokens + inputTokens,
    outputTokens: spent.outputTokens + outputTokens,
    costUsd: spent.costUsd + (costUsd ?? 0),
    priced: spent.priced && (costUsd !== undefined || requests === 0),
  };
}

/** The price of a request of that many tokens, none of them from a cache; 0 where the model's prices are not known. */
export function priceOf(inputTokens: number, outputTokens: number, prices: Prices | undefined): number {
  const spent = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return prices === undefined ? 0 : costOf(spent, prices);
}
