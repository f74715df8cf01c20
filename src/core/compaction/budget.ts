/** The size of a compaction's result as people write it: `16k`, `8,000`, or a share of the whole such as `20%`. */

/** Tokens of the result, given those of the whole. */
export type Budget = (wholeTokens: number) => number;

export type BudgetReading =
  | { readonly budget: Budget }
  /** `meant`: what the person probably wanted to write. */
  | { readonly because: string; readonly meant?: string };

const AMOUNT_CHARS_MAX = 30;
const PERCENT_MAX = 100;

export function readBudget(text: string): BudgetReading {
  const share = text.length <= AMOUNT_CHARS_MAX && text.endsWith("%") ? readAmount(text.slice(0, -1)) : undefined;
  if (share !== undefined && share > 0 && share <= PERCENT_MAX)
    return { budget: (whole) => Math.max(1, Math.floor((whole * share) / PERCENT_MAX)) };
  const tokens = readAmount(text);
  // No transcript fits into so few tokens; as percentages, such numbers are what people ask for.
  if (tokens !== undefined && tokens > 0 && tokens <= PERCENT_MAX)
    return { because: `${text} tokens, too few for any transcript`, meant: shareText(tokens) };
  if (tokens !== undefined && tokens >= 1) return { budget: () => Math.floor(tokens) };
  return { because: `"${text}"; expected a number of tokens, or a share of the input from above 0 to 100%` };
}

function shareText(tokens: number): string {
  return `${tokens < 1 ? Number((tokens * PERCENT_MAX).toFixed(2)) : tokens}%`;
}

/** `8000`, `8_000`, `8,000`, `8k`, `1.5m`; undefined for anything else. */
export function readAmount(text: string): number | undefined {
  if (text.length > AMOUNT_CHARS_MAX) return undefined;
  const match = /^([0-9][0-9_,]*(?:\.[0-9]+)?)([kKmM]?)$/.exec(text.trim());
  if (match === null) return undefined;
  const factor = { "": 1, k: 1_000, m: 1_000_000 }[match[2]!.toLowerCase()]!;
  return Number(match[1]!.replaceAll(/[_,]/g, "")) * factor;
}
