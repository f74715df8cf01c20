/** What stays verbatim: the fresh tail, and what is left of it where even that is too much. */
import { earlierEnd, lastStart, tailOf, tailStart } from "../../compaction/run/boundaries.ts";
import {
  passContext,
  skeletonTail,
  summarisedTo,
  unchangedMessages,
  type RewrittenMessages,
} from "../../compaction/run/candidates.ts";
import type { Candidate } from "../../compaction/run/draft.ts";
import { digestResults } from "../../passes/digest-results.ts";
import { endOf } from "./dag.ts";
import type { LosslessSettings } from "./settings.ts";
import type { LosslessRun } from "./state.ts";

export const RUNG_LAST_EXCHANGE = 1;
const RUNG_DIGESTED = 2;
export const RUNG_SKELETON = 3;

/** From the fresh tail as it is down to the names and ids of the last exchange's calls; each weighs less. */
export function* candidatesOf(run: LosslessRun, { freshTailCount }: LosslessSettings): Generator<Candidate> {
  const { messages } = run.original;
  const count = run.request.budget === undefined ? freshTailCount : Infinity;
  const last = lastStart({ messages, exchanges: run.goal.exchanges });
  const whole = unchangedMessages(run);
  yield summarisedTo(freshTail(run, whole, { last, count }), 0, whole);
  yield { ...summarisedTo(last, RUNG_LAST_EXCHANGE, whole), limitTokens: run.goal.unreadTokens };
  const digested = digestResults(messages, { ...passContext(run), protect: (at) => at === run.live || at < last });
  // With the last exchange digested, there is room for some before it again.
  yield summarisedTo(freshTail(run, digested, { last, count }), RUNG_DIGESTED, digested);
  yield summarisedTo(last, RUNG_SKELETON, skeletonTail(run, last));
}

interface Most {
  /** The last exchange stays in any case. */
  readonly last: number;
  /** Messages of the tail, at most. */
  readonly count: number;
}

function freshTail({ goal, request }: LosslessRun, { messages }: RewrittenMessages, { last, count }: Most): number {
  const { exchanges } = goal;
  const byTokens = tailStart({ messages, exchanges }, 0, tailOf(goal.tailTokens), request.measure);
  const byCount = exchanges.find(({ start }) => start >= messages.length - count)?.start ?? last;
  return Math.min(last, Math.max(byTokens, byCount, endOf(goal.dag), earlierEnd(messages)));
}
