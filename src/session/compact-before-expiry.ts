/**
 * A conversation that waits for its person: a compaction made shortly before the provider's cache forgets it, while a model
 * that writes behind the conversation still reads it from there. It is put in place when the cache has expired, and not before.
 */
import { beforeExpiry, countReplies } from "../core/caching/schedule.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { BeforeExpiry, ExpiryOutcome } from "./contract.ts";
import type { SessionContext } from "./context.ts";
import { expectedAfter, writingCost } from "./economy.ts";
import { makeCompaction } from "./make-compaction.ts";
import { isResting } from "./progress.ts";
import { viewConversation } from "./turn.ts";

const NOTHING: ExpiryOutcome = Object.freeze({ kind: "nothing" });
/** One that is there already is good enough until the conversation has grown by as much. */
const GROWN_SINCE_MADE = 1.1;

export async function compactBeforeExpiry(
  context: SessionContext,
  transcript: Transcript,
  { notifyOnly = false, ...waiting }: BeforeExpiry,
): Promise<ExpiryOutcome> {
  const { state, options } = context;
  const prices = options.economy?.()?.prices;
  if (prices === undefined || options.enabled === false) return NOTHING;
  const view = await viewConversation(context, transcript, waiting.signal);
  const { tokens } = view;
  const isMade = state.ahead !== undefined && tokens < state.ahead.report.tokens.before * GROWN_SINCE_MADE;
  if (view.standing.undone || isResting(context, view)) return NOTHING;
  const { compact, because } = beforeExpiry({
    prices,
    tokens,
    afterTokens: expectedAfter(context, view),
    turns: countReplies(view.original.messages),
    writingCost: isMade ? 0 : writingCost(context, view, { prices, waiting }),
  });
  if (!compact) return NOTHING;
  if (notifyOnly) return { kind: "pays", tokens, because };
  state.waitsForExpiry = true;
  if (isMade) return { kind: "made", tokens, because };
  const { engineState } = state;
  const outcome = await makeCompaction(context, view, { ...waiting, reason: "cost", because });
  if (outcome.kind !== "compacted") {
    // Nobody asked for it, so it does not count against the session.
    state.engineState = engineState;
    return NOTHING;
  }
  state.ahead = outcome.compaction;
  // A model that was asked behind the conversation has read it, and what is read lives on.
  const steps = outcome.compaction.report.summary?.steps ?? [];
  if (steps.some(({ role, calls }) => role === "main" && calls > 0)) state.sentAtMs = (options.now ?? Date.now)();
  await options.sharedAhead?.put(outcome.compaction);
  return { kind: "made", tokens, because };
}
