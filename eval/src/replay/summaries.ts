/**
 * What a summary would cost if a model wrote it. A replay asks no model: handoffs are written by code, so that the same
 * file gives the same figures every time; a model's price can be laid on what it would have read and written.
 */
import { PrecisError } from "../../../src/core/errors.ts";
import { lookUp, type Prices, type Registry } from "../../../src/models/index.ts";

export interface SummaryWriter {
  readonly model: string;
  readonly prices: Prices;
}

interface Summarised {
  readonly before: number;
  readonly after: number;
  readonly summaryTokens: number;
}

const MTOK = 1_000_000;

/** US dollars: what the summary stands for is read once, uncached, and the summary is written. */
export function summaryUsd({ before, after, summaryTokens }: Summarised, writer: SummaryWriter | undefined): number {
  if (writer === undefined || summaryTokens === 0) return 0;
  const replaced = Math.max(0, before - (after - summaryTokens));
  const { inputUsdPerMtok, outputUsdPerMtok } = writer.prices;
  return (replaced * inputUsdPerMtok + summaryTokens * outputUsdPerMtok) / MTOK;
}

/** Throws `unknown_prices` for a model that nothing is known of. */
export function summaryWriter(registry: Registry, model: string): SummaryWriter {
  const prices = lookUp(registry, model)?.prices;
  if (prices !== undefined) return { model, prices };
  throw new PrecisError(`the prices of ${model} are not known`, {
    code: "unknown_prices",
    hint: "Use a model with known prices, or set them in the configuration under `models`.",
  });
}
