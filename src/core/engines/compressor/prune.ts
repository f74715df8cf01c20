/**
 * Pruning without a model (Zhang 2026, section 6), wherever old results stay in a result: an older copy of a result
 * becomes a reference to the newest, other results above 200 characters become digests, and long arguments shrink.
 */
import { digested, passContext, shortened, type RewrittenMessages } from "../../compaction/run/candidates.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { digestResultsWith } from "../../passes/digest-results.ts";
import { replaceDuplicatesWhere } from "../../passes/replace-duplicates.ts";
import { inSequence } from "../../passes/sequence.ts";

/** Results up to this length stay as they are. */
const PRUNED_CHARS_MIN = 200;

export interface PruneRange {
  /** Messages (by index) that give way to the handoff; nothing may refer to them. */
  readonly isSummarised: (at: number) => boolean;
  /** Messages that stay as they are. */
  readonly isProtected?: (at: number) => boolean;
}

/** The conversation with all that stays of it and is not protected in its shortest form. */
export function pruned(run: CompactionRun, { isSummarised, isProtected = () => false }: PruneRange): RewrittenMessages {
  const results = inSequence([
    replaceDuplicatesWhere((at) => !isSummarised(at)),
    digestResultsWith({ triggerChars: PRUNED_CHARS_MIN }),
  ]);
  return digested(run, (at) => isSummarised(at) || isProtected(at), shortened(results));
}

/** The same conversation with references in place of the older copies between `start` and `end`, the rest of it unchanged. */
export function withoutDuplicates(
  run: CompactionRun,
  { messages, evicted }: RewrittenMessages,
  { start, end }: { readonly start: number; readonly end: number },
): RewrittenMessages {
  const protect = (at: number): boolean => at < start || at >= end || at === run.live;
  const single = replaceDuplicatesWhere((at) => at >= start)(messages, { ...passContext(run), protect });
  return { messages: single.messages, evicted: [...evicted, ...single.evicted] };
}
