/** When a compaction saved so little that the next one is not worth trying at once, and what to do instead. */
import type { CompactionReport } from "./compaction.ts";

/** Under a tenth (Zhang 2026, section 17). */
const SAVINGS_SHARE_MIN = 0.1;

export const SAVED_LITTLE_ADVICE = "start a fresh session, or compact with a focus";

/** Of what there was beside system prompt and tools, which no compaction makes smaller. */
export function savedLittle({ tokens: { before, after }, parts }: Pick<CompactionReport, "tokens" | "parts">): boolean {
  return before - after < (before - parts.system - parts.tools) * SAVINGS_SHARE_MIN;
}
