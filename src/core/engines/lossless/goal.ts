/** What a result may weigh, how tail and summaries share it, and the graph that it goes on from. */
import { lastStart } from "../../compaction/run/boundaries.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { acceptedTokensOf, limitOf, unreadLimitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf, type Exchange } from "../../transcript/exchanges.ts";
import { ownDag, type Dag } from "./dag.ts";
import type { LosslessLimits } from "./limits.ts";
import type { LosslessSettings } from "./settings.ts";

/** The settings, and what follows from them beside the fixed part of a conversation. */
export interface LosslessFigures {
  readonly settings: LosslessSettings;
  readonly limits: LosslessLimits;
}

export interface LosslessGoal extends SizeGoal {
  /** What a result may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
  readonly tailTokens: number;
  /** An explicit budget is there to be used: infinite, what is left after all else. */
  readonly summariesTokens: number;
  /** The summaries so far, as far as they belong to this conversation. */
  readonly dag: Dag;
  readonly exchanges: readonly Exchange[];
}

/** Of an explicit budget, after what is in any case (ours; the default engine's share). */
const TAIL_BUDGET_SHARE = 0.25;
/** Of what is left beside system, tools and live request, the summaries should have this much before the tail gives way. */
const SUMMARIES_SHARE_MIN = 0.3;
/** With an explicit budget: there a summary recalls more a token than a digest does. */
const SUMMARIES_BUDGET_SHARE_MIN = 0.65;

export function goalOf({ settings, limits }: LosslessFigures, run: CompactionRun, before: Dag): LosslessGoal {
  const { request, fixedTokens, besideTokens } = run;
  const { messages } = run.original;
  const { chain, measure, budget } = request;
  const exchanges = exchangesOf(messages);
  const limitTokens = limitOf(run, limits.aimTokens, limits);
  const room = limitTokens - fixedTokens;
  const wanted =
    budget === undefined
      ? Math.min(room * SUMMARIES_SHARE_MIN, settings.condensedTargetTokens)
      : room * SUMMARIES_BUDGET_SHARE_MIN;
  const wantedTokens = Math.max(HANDOFF_TOKENS_MIN, wanted);
  return {
    limitTokens,
    acceptedTokens: acceptedTokensOf(run, limits, limits.triggerTokens),
    unreadTokens: unreadLimitOf(run, limits),
    tailTokens:
      budget === undefined
        ? Math.min(limits.tailTokens, Math.floor((limitTokens - besideTokens) * TAIL_BUDGET_SHARE * 2))
        : Math.floor(Math.max(0, room) * TAIL_BUDGET_SHARE),
    summariesTokens: budget === undefined ? limits.summariesTokens : Infinity,
    handoffTokens: () => wantedTokens,
    handoffTokensMin: wantedTokens,
    // The nodes are counted as messages.
    overheadTokens: 0,
    dag: ownDag(before, messages, { chain, measure, most: lastStart({ messages, exchanges }) }),
    exchanges,
  };
}
