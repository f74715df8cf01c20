/** What both kinds of exam are asked for: where models are, what they may cost, and where answers are kept. */
import type { Estimate } from "../exam/ask.ts";
import type { ExamRequest } from "../exam/exam.ts";
import { overflowOf } from "../../../src/session/provider-error.ts";
import { parseDollars } from "../../../src/cli/screen/amounts.ts";
import type { Arguments } from "../../../src/cli/program/command.ts";
import { usageError } from "../../../src/cli/program/exit.ts";
import { outwardFetch } from "../../../src/cli/gateway/options.ts";
import type { Terminal } from "../../../src/cli/screen/terminal.ts";

export const BUDGETS_DEFAULT = "10";
export const FOLDER_DEFAULT = "precis-exam";

export function surroundingsOf({ environment }: Terminal): ExamRequest["surroundings"] {
  return { environment, overflow, fetch: outwardFetch(environment) };
}

function overflow(status: number, body: string): ReturnType<typeof overflowOf> {
  return overflowOf({ status, body });
}

export function limitOf(args: Arguments): number {
  const text = args.text("max-cost");
  return text === undefined ? Infinity : parseDollars(text, "--max-cost");
}

/** Throws a usage error where the limit cannot be kept, or would not be. */
export function checkLimit({ unpriced: [unknown], usualUsd }: Estimate, limitUsd: number): void {
  if (limitUsd === Infinity) return;
  if (unknown !== undefined)
    throw usageError(
      `--max-cost cannot be enforced: the price of ${unknown} is not known`,
      `Set models.${unknown}.input_usd_per_mtok and output_usd_per_mtok, 0 for a server of your own.`,
    );
  if (usualUsd > limitUsd)
    throw usageError(
      `the exam costs about $${usualUsd.toFixed(2)}, more than the $${limitUsd.toFixed(2)} of --max-cost`,
      "Use a higher limit, fewer cases, contestants or questions, or a cheaper model.",
    );
}
