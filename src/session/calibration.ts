/**
 * Estimates learn: the usage a provider reports for a request, over our estimate of the same request, is the factor
 * for the next. It is smoothed, and bounded so that one odd report cannot unsettle a session.
 */

export const FACTOR_MIN = 0.5;
export const FACTOR_MAX = 2.5;
/** Weight of the newest report. */
const NEWEST_SHARE = 0.5;
/** Small requests say little: the provider's own wrapping dominates them. */
const ESTIMATE_TOKENS_MIN = 1_000;

/** Where no usage is known yet; no public tokenizer counts Claude's tokens (measured starts: 1.18, newest models 1.5). */
export function initialFactor(model: string | undefined): number {
  if (model === undefined || !/claude/i.test(model)) return 1;
  return /claude-(?:[a-z]+-)?5/i.test(model) ? 1.5 : 1.18;
}

/** A count that is known to be right, or too low, taken as it is; within the same bounds. */
export function exactFactor(countedTokens: number, estimate: number): number {
  return Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, countedTokens / Math.max(estimate, ESTIMATE_TOKENS_MIN)));
}

/** `estimate` is the uncorrected estimate of the request whose input was reported; `newest`: what the report weighs beside earlier ones. */
export function learnFactor(factor: number, reportedTokens: number, estimate: number, newest = NEWEST_SHARE): number {
  if (estimate < ESTIMATE_TOKENS_MIN || reportedTokens <= 0) return factor;
  const observed = reportedTokens / estimate;
  const next = factor + (observed - factor) * newest;
  return Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, next));
}

/**
 * What a provider reported for a request, but never less than the estimate corrected by the smallest factor: a count that
 * is far too low would keep a session from ever compacting.
 */
export function plausibleTokens(reportedTokens: number, estimate: number): number {
  return Math.max(reportedTokens, Math.floor(estimate * FACTOR_MIN));
}
