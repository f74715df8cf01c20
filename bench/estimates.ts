/** How fast tokens are counted: our estimate beside an exact tokenizer and the usual characters / 4. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { estimateText } from "../src/core/transcript/estimate.ts";
import { timed, type Times } from "./stopwatch.ts";
import { createNames } from "./traffic/names.ts";
import { json, log, source } from "./traffic/outputs.ts";

const ROUNDS = { warmups: 5, samples: 15 };

export interface EstimateRow {
  readonly name: string;
  readonly times: Times;
  readonly megabytesPerSecond: number;
  /** How far the count is from exact, in percent. */
  readonly errorPercent: number;
}

export async function estimateRows(): Promise<readonly EstimateRow[]> {
  const names = createNames(21);
  const text = [source(names, 2_000), log(names, 1_000), json(names, 300)].join("\n");
  const exact = encode(text).length;
  const counters: Readonly<Record<string, (text: string) => number>> = {
    "precis estimate": estimateText,
    "gpt-tokenizer, o200k, exact": (value) => encode(value).length,
    "characters / 4": (value) => Math.ceil(value.length / 4),
  };
  const rows: EstimateRow[] = [];
  for (const [name, count] of Object.entries(counters)) {
    const times = await timed(() => count(text), ROUNDS);
    const megabytesPerSecond = text.length / 1e3 / Math.max(times.medianMs, 1e-6);
    rows.push({ name, times, megabytesPerSecond, errorPercent: (count(text) / exact - 1) * 100 });
  }
  return rows;
}
