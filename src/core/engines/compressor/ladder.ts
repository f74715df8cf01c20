/**
 * The ladder: the candidates of a compaction, from the documented one down to the smallest that is still valid. Each
 * rung weighs less than the one before; the first that fits is taken, and the last even where it does not fit.
 */
import { skeletonTail, unchangedMessages, type RewrittenMessages } from "../../compaction/run/candidates.ts";
import type { Candidate, CompactionRun } from "../../compaction/run/draft.ts";
import {
  earlierEnd,
  headEnd,
  lastStart,
  tailOf,
  tailStart,
  type DividedConversation,
} from "../../compaction/run/boundaries.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { Message } from "../../transcript/message.ts";
import type { DocumentedGoal } from "./goal.ts";
import { pruned, withoutDuplicates } from "./prune.ts";

/** From this rung on, recent exchanges that the documented policy would keep are given up. */
export const RUNG_DEGRADED = 2;
/** What the model has not read yet becomes digests. */
export const RUNG_PRUNED = 3;
export const RUNG_LAST = 4;
/** How often the tail's budget is halved before only the last exchange is left. */
const HALVINGS_MAX = 4;

/** The rungs of a compaction without an explicit budget. */
export function* rungsOf(run: CompactionRun, goal: DocumentedGoal): Generator<Candidate> {
  const { messages } = run.original;
  const { measure } = run.request;
  const conversation = { messages, exchanges: exchangesOf(messages) };
  // An earlier handoff is always replaced: it is merged into the new one, and never part of head or tail.
  const earlier = earlierEnd(messages);
  const { head, opening } = headOf(run, goal, { conversation, earlier });
  const planned = tailStart(conversation, Math.max(head, earlier), goal.tail, measure);
  const last = lastStart(conversation);
  const rung = (number: number, rewritten: RewrittenMessages, from = planned): Candidate => ({
    shape: { rung: number, ...rewritten, headEnd: number < RUNG_DEGRADED ? head : 0, tailStart: from },
    ...(number === RUNG_LAST ? { handoffTokensMin: HANDOFF_TOKENS_MIN } : {}),
  });

  yield rung(0, withoutDuplicates(run, opening, { start: planned, end: last }));
  const isSummarised = (at: number): boolean => at >= head && at < planned;
  const read = pruned(run, { isSummarised, isProtected: (at) => at >= last });
  const shorter = (tail: RewrittenMessages, halving: number): number =>
    tailStart({ ...conversation, messages: tail.messages }, earlier, tailOf(goal.tail.tokens / 2 ** halving), measure);
  yield rung(1, read);
  for (let halving = 1; halving <= HALVINGS_MAX; halving++) yield rung(RUNG_DEGRADED, read, shorter(read, halving));
  // What the model has not read yet stays whole as long as any handoff has room beside it.
  yield { ...rung(RUNG_DEGRADED, read, last), limitTokens: goal.unreadTokens, handoffTokensMin: HANDOFF_TOKENS_MIN };
  const all = pruned(run, { isSummarised });
  for (let halving = 0; halving <= HALVINGS_MAX; halving++) yield rung(RUNG_PRUNED, all, shorter(all, halving));
  yield rung(RUNG_LAST, skeletonTail(run, last), last);
}

interface ConversationStart {
  readonly conversation: DividedConversation;
  /** Index after the earlier handoff; 0 without one. */
  readonly earlier: number;
}

interface Head {
  /** Where the head ends; 0 where it is given up. */
  readonly head: number;
  /** The conversation, the head in the form that it is kept in. */
  readonly opening: RewrittenMessages;
}

/** The head stays as it is while it is small; with heavy results, which are pruned as old ones are (Zhang 2026, section 6); or not at all. */
function headOf(run: CompactionRun, goal: DocumentedGoal, { conversation, earlier }: ConversationStart): Head {
  const { messages } = conversation;
  const end = headEnd(conversation, goal.headMessages, earlier === 0 ? messages.length : earlier - 1);
  const weigh = (some: readonly Message[]): number => run.request.measure.messages(some.slice(0, end));
  const whole = unchangedMessages(run);
  if (weigh(messages) <= goal.headTokensMax) return { head: end, opening: whole };
  const light = pruned(run, { isSummarised: (at) => at >= end });
  return weigh(light.messages) <= goal.prunedHeadTokensMax
    ? { head: end, opening: light }
    : { head: 0, opening: whole };
}
