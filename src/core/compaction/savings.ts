/** When a compaction saved so little that the next one is not worth trying at once, and what to do instead. */
import type { CompactionReport } from "./compaction.ts";

/** Under a tenth (Zhang 2026, section 17). */
const SAVINGS_SHARE_MIN = 0.1;

export const SAVED_LITTLE_ADVICE = "start a fresh session, or compact with a focus";

export function savedLittle({ before, after }: CompactionReport["tokens"]): boolean {
  return before - after < before * SAVINGS_SHARE_MIN;
}
