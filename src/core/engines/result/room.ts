/** How long a handoff may be where the documents of an engine say nothing of it. */

/** The figures of the default engine (reference/002), so that engines differ by their policy and not by this. */
const HANDOFF_WINDOW_SHARE = 0.05;
const HANDOFF_TOKENS_MAX = 12_000;

export function handoffTokensMax(contextLength: number): number {
  return Math.floor(Math.min(contextLength * HANDOFF_WINDOW_SHARE, HANDOFF_TOKENS_MAX));
}
