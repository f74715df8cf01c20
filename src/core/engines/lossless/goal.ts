/** What a result may weigh, how tail and summaries share it, and the graph that it goes on from. */
import { lastStart } from "../../compaction/run/boundaries.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";
import { limitOf, type SizeGoal } from "../../compaction/run/goal.ts";
import { HANDOFF_TOKENS_MIN } from "../../handoff/write.ts";
import { exchangesOf, type Exchange } from "../../transcript/exchanges.ts";
import { ownDag, type Dag } from "./dag.ts";
import type { LosslessLimits } from "./limits.ts";
import type { LosslessSettings } from "./settings.ts";

export interface LosslessGoal extends SizeGoal {
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

export function goalOf(
  { settings, limits }: { readonly settings: LosslessSettings; readonly limits: LosslessLimits },
  run: CompactionRun,
  before: Dag,
): LosslessGoal {
  const { request, fixedTokens } = run;
  const { messages } = run.original;
  const { chain, measure, budget } = request;
  const exchanges = exchangesOf(messages);
  const limitTokens = limitOf(request, limits.aimTokens, run.before);
  const room = limitTokens - fixedTokens;
  const wanted =
    budget === undefined
      ? Math.min(room * SUMMARIES_SHARE_MIN, settings.condensedTargetTokens)
      : room * SUMMARIES_BUDGET_SHARE_MIN;
  const wantedTokens = Math.max(HANDOFF_TOKENS_MIN, wanted);
  return {
    limitTokens,
    tailTokens:
      budget === undefined
        ? Math.min(limits.tailTokens, Math.floor(limitTokens * TAIL_BUDGET_SHARE * 2))
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
