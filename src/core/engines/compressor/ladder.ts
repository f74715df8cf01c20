/**
 * The ladder: the candidates of a compaction without an explicit budget, from the documented one down to the smallest that is
 * still valid. Each rung weighs less than the one before; the first that fits is taken, and the last even where it does not.
 * Wherever old results stay they are pruned without a model (Zhang 2026, section 6): an older copy of a result becomes a
 * reference to the newest, other results above 200 characters become digests, and long arguments shrink.
 */
import type { Candidate, CompactionRun, SizeGoal, SizeLimits } from "../../compaction/plan.ts";
import {
  digested,
  earlierEnd,
  findHeadEnd,
  lastStart,
  passContext,
  shortenedBy,
  skeletonTail,
  tailOf,
  tailStart,
  unchangedMessages,
  type RewrittenMessages,
  type TailBudget,
} from "../../compaction/tails.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { digestResultsWith } from "../../passes/digest-results.ts";
import { inSequence } from "../../passes/pass.ts";
import { replaceDuplicatesWhere } from "../../passes/replace-duplicates.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";

export interface DocumentedGoal extends SizeGoal, SizeLimits {
  readonly acceptedTokens: number;
  readonly roomTokens?: undefined;
  /**
   * Messages protected at the start. The head is kept to the byte up to `headTokensMax`. Above, its results are pruned, and
   * where it is above `prunedHeadTokensMax` even so, it is given up.
   */
  readonly headMessages: number;
  readonly headTokensMax: number;
  readonly prunedHeadTokensMax: number;
  readonly tail: TailBudget;
}

/** From this rung on, recent exchanges that the documented policy would keep are given up. */
export const RUNG_DEGRADED = 2;
/** What the model has not read yet becomes digests. */
export const RUNG_PRUNED = 3;
export const RUNG_LAST = 4;
/** How often the tail's budget is halved before only the last exchange is left. */
const HALVINGS_MAX = 4;

/** The rungs of a compaction without an explicit budget. */
export function* climbRungs(run: CompactionRun, goal: DocumentedGoal): Generator<Candidate> {
  const { messages } = run.original;
  const { measure } = run.request;
  const exchanges = exchangesOf(messages);
  // An earlier handoff is always replaced: it is merged into the new one, and never part of head or tail.
  const earlier = earlierEnd(messages);
  const { head, opening } = planHead(run, goal, earlier);
  const planned = tailStart(messages, { from: Math.max(head, earlier), budget: goal.tail, measure });
  const last = lastStart(messages);
  const rung = (number: number, rewritten: RewrittenMessages, from = planned): Candidate => ({
    shape: { rung: number, ...rewritten, headEnd: number < RUNG_DEGRADED ? head : 0, tailStart: from },
    ...(number === RUNG_LAST ? { handoffTokensMin: HANDOFF_TOKENS_MIN } : {}),
  });

  yield rung(0, withoutDuplicates(run, opening, { start: planned, end: last }));
  const isSummarised = (at: number): boolean => at >= head && at < planned;
  const read = pruned(run, { isSummarised, isProtected: (at) => at >= last });
  const shorter = (tail: RewrittenMessages, halving: number): number =>
    tailStart(tail.messages, {
      from: earlier,
      budget: tailOf(goal.tail.tokens / 2 ** halving),
      measure,
      exchanges,
    });
  yield rung(1, read);
  for (let halving = 1; halving <= HALVINGS_MAX; halving++) yield rung(RUNG_DEGRADED, read, shorter(read, halving));
  // What the model has not read yet stays whole as long as any handoff has room beside it.
  yield { ...rung(RUNG_DEGRADED, read, last), limitTokens: goal.unreadTokens, handoffTokensMin: HANDOFF_TOKENS_MIN };
  const all = pruned(run, { isSummarised });
  for (let halving = 0; halving <= HALVINGS_MAX; halving++) yield rung(RUNG_PRUNED, all, shorter(all, halving));
  yield rung(RUNG_LAST, skeletonTail(run, last), last);
}

interface Head {
  /** Where the head ends; 0 where it is given up. */
  readonly head: number;
  /** The conversation, the head in the form that it is kept in. */
  readonly opening: RewrittenMessages;
}

/** The head stays as it is while it is small; with heavy results, which are pruned as old ones are (Zhang 2026, section 6); or not at all. */
function planHead(run: CompactionRun, goal: DocumentedGoal, earlier: number): Head {
  const { messages } = run.original;
  const end = findHeadEnd(messages, goal.headMessages, earlier === 0 ? messages.length : earlier - 1);
  const weigh = (some: readonly Message[]): number => run.request.measure.messages(some.slice(0, end));
  const whole = unchangedMessages(run);
  if (weigh(messages) <= goal.headTokensMax) return { head: end, opening: whole };
  const light = pruned(run, { isSummarised: (at) => at >= end });
  return weigh(light.messages) <= goal.prunedHeadTokensMax
    ? { head: end, opening: light }
    : { head: 0, opening: whole };
}

/** Results up to this length stay as they are. */
const PRUNED_CHARS_MIN = 200;

interface PruneRange {
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
  return digested(run, (at) => isSummarised(at) || isProtected(at), shortenedBy(results));
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
