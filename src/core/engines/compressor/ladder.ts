/**
 * The ladder: the candidates of a compaction, from the documented one down to the smallest that is still valid. Each
 * rung weighs less than the one before; the first that fits is taken, and the last even where it does not fit.
 */
import { digested, skeletonTail, unchangedMessages, type Rewritten } from "../../compaction/run/candidates.ts";
import type { Candidate, CompactionRun } from "../../compaction/run/draft.ts";
import { earlierEnd, headEnd, lastStart, tailOf, tailStart } from "../../compaction/run/boundaries.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf } from "../../transcript/exchanges.ts";
import type { CompressorGoal } from "./goal.ts";

/** From this rung on, recent exchanges that the documented policy would keep are given up. */
export const RUNG_DEGRADED = 3;
const RUNG_LAST = 4;
/** How often the tail's budget is halved before only the last exchange is left. */
const HALVINGS_MAX = 4;

/** The rungs; with an explicit budget, none between the first and the last that leaves nothing to write a handoff for. */
export function* rungsOf(run: CompactionRun, goal: CompressorGoal): Generator<Candidate> {
  for (const candidate of allRungsOf(run, goal)) {
    const { rung, headEnd: head, tailStart: tail } = candidate.shape;
    if (head < tail || !goal.wantsHandoff || rung === 0 || rung === RUNG_LAST) yield candidate;
  }
}

function* allRungsOf(run: CompactionRun, goal: CompressorGoal): Generator<Candidate> {
  const { messages } = run.original;
  const { measure } = run.request;
  const conversation = { messages, exchanges: exchangesOf(messages) };
  // An earlier handoff is always replaced: it is merged into the new one, and never part of head or tail.
  const earlier = earlierEnd(messages);
  const protectedHead = headEnd(conversation, goal.headMessages, earlier === 0 ? messages.length : earlier - 1);
  const headFits = measure.messages(messages.slice(0, protectedHead)) <= goal.headTokensMax;
  const head = headFits ? protectedHead : 0;
  const planned = tailStart(conversation, Math.max(head, earlier), goal.tail, measure);
  const last = lastStart(conversation);
  const rung = (number: number, rewritten: Rewritten, from = planned, headKept = head): Candidate => ({
    shape: { rung: number, ...rewritten, headEnd: headKept, tailStart: from },
    ...(number === RUNG_LAST ? { handoffTokensMin: HANDOFF_TOKENS_MIN } : {}),
  });

  yield rung(0, unchangedMessages(run));
  yield rung(
    1,
    digested(run, (at) => at < planned || at >= last),
  );
  const all = digested(run, (at) => at < planned && at >= head);
  yield rung(2, all);
  for (let halving = 1; halving <= HALVINGS_MAX; halving++) {
    const budget = tailOf(Math.floor(goal.tail.tokens / 2 ** halving));
    yield rung(RUNG_DEGRADED, all, tailStart({ ...conversation, messages: all.messages }, earlier, budget, measure), 0);
  }
  yield rung(RUNG_LAST, skeletonTail(run, last), last, 0);
}
