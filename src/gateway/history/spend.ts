/** What requests cost: what was charged where the store has it, otherwise their reported usage at the model's prices. */
import { costOf } from "../../models/usage.ts";
import type { UsageEntry } from "../../store/store.ts";
import type { HistoryDependencies } from "./sizes.ts";

/** US dollars; undefined where no price is known for any of them. */
export function spendOf(
  usages: readonly UsageEntry[],
  { pricesOf }: Pick<HistoryDependencies, "pricesOf">,
): number | undefined {
  let spend: number | undefined;
  for (const usage of usages) {
    const cost = usage.costUsd ?? priced(usage, pricesOf);
    if (cost !== undefined) spend = (spend ?? 0) + cost;
  }
  return spend;
}

function priced(
  { model, input, output, cacheRead, cacheWrite }: UsageEntry,
  pricesOf: HistoryDependencies["pricesOf"],
): number | undefined {
  const prices = pricesOf(model);
  if (prices === undefined) return undefined;
  const tokens = {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
  return costOf(tokens, prices);
}
