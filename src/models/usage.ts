/** What answers cost: tokens as reported or, where an endpoint reports none, as estimated; and their price. */
import type { WriterPrompt, WriterUsage } from "../core/handoff/model/writer.ts";
import { estimateText } from "../core/transcript/estimate.ts";
import type { Generated } from "./ai-sdk.ts";
import { fieldsOf, parsed } from "./answers.ts";

/** US dollars for a million tokens. */
export interface Prices {
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
  readonly cacheReadUsdPerMtok?: number;
  readonly cacheWrite5mUsdPerMtok?: number;
  readonly cacheWrite1hUsdPerMtok?: number;
  /** Past that many input tokens the whole request costs that many times more. */
  readonly longPrompt?: { readonly aboveTokens: number; readonly inputFactor: number; readonly outputFactor: number };
}

/** Tokens of one answer; input is everything that was read, cached or not. */
export interface AnswerTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

const MTOK = 1_000_000;

/** US dollars. What the cache gave or took is charged as plain input where its price is not known. */
export function costOf(
  { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: AnswerTokens,
  prices: Prices,
): number {
  const { inputUsdPerMtok: input, outputUsdPerMtok: output } = prices;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const read = cacheReadTokens * (prices.cacheReadUsdPerMtok ?? input);
  const written = cacheWriteTokens * (prices.cacheWrite5mUsdPerMtok ?? input);
  const long = inputTokens > (prices.longPrompt?.aboveTokens ?? Infinity) ? prices.longPrompt : undefined;
  const { inputFactor = 1, outputFactor = 1 } = long ?? {};
  return ((fresh * input + read + written) * inputFactor + outputTokens * output * outputFactor) / MTOK;
}

/** One answer's usage. `body` is its JSON where the provider reports a price in it, as OpenRouter does (`usage.cost`). */
export function usageOf(
  { text, usage }: Generated,
  prompt: WriterPrompt,
  { prices, body }: { readonly prices: Prices | undefined; readonly body: string | undefined },
): WriterUsage {
  const spent = {
    inputTokens: usage.inputTokens || estimateText(prompt.system) + estimateText(prompt.user),
    outputTokens: usage.outputTokens || estimateText(text),
    cacheReadTokens: usage.inputTokenDetails.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.inputTokenDetails.cacheWriteTokens ?? 0,
  };
  const charged = fieldsOf(fieldsOf(parsed(body ?? ""))["usage"])["cost"];
  const listed = prices === undefined ? undefined : costOf(spent, prices);
  const costUsd = typeof charged === "number" ? charged : listed;
  const { inputTokens, outputTokens } = spent;
  return { inputTokens, outputTokens, requests: 1, ...(costUsd === undefined ? {} : { costUsd }) };
}

/** Several answers' usage; the cost is known only when each one's is. */
export function totalOf(spent: readonly WriterUsage[]): WriterUsage {
  const sum = (count: (usage: WriterUsage) => number): number => spent.reduce((so, usage) => so + count(usage), 0);
  const priced = spent.length > 0 && spent.every(({ costUsd }) => costUsd !== undefined);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    requests: sum(({ requests }) => requests),
    ...(priced ? { costUsd: sum(({ costUsd }) => costUsd ?? 0) } : {}),
  };
}
