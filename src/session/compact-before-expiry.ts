/**
 * A conversation that waits for its person: a compaction made shortly before the provider's cache forgets it, while a model
 * that writes behind the conversation still reads it from there. It is put in place when the cache has expired, and not before.
 */
import { beforeExpiry } from "../core/caching/schedule.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { BeforeExpiry, Economy, ExpiryOutcome } from "./contract.ts";
import type { ConversationView, SessionContext } from "./context.ts";
import { expectedAfter } from "./economy.ts";
import { makeCompaction } from "./make-compaction.ts";
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
  const economy = options.economy?.();
  if (economy === undefined || options.enabled === false) return NOTHING;
  const view = await viewConversation(context, transcript, waiting.signal);
  const { tokens } = view;
  const isMade = state.ahead !== undefined && tokens < state.ahead.report.tokens.before * GROWN_SINCE_MADE;
  if (view.standing.undone || tokens <= state.futileAheadTokens * GROWN_SINCE_MADE) return NOTHING;
  const { compact, because } = beforeExpiry({
    prices: economy.prices,
    tokens,
    afterTokens: expectedAfter(context, view),
    turns: view.original.messages.filter(({ role }) => role === "assistant").length,
    writingCost: isMade ? 0 : writingCost(context, view, { economy, waiting }),
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
    state.futileAheadTokens = tokens;
    return NOTHING;
  }
  state.ahead = outcome.compaction;
  // A model that was asked behind the conversation has read it, and what is read lives on.
  const steps = outcome.compaction.report.summary?.steps ?? [];
  if (steps.some(({ role, calls }) => role === "main" && calls > 0)) state.sentAtMs = (options.now ?? Date.now)();
  await options.sharedAhead?.put(outcome.compaction);
  return { kind: "made", tokens, because };
}

/** Of the most that a handoff may weigh, what a model is asked to write. */
const WRITTEN_SHARE = 0.7;

interface Writing {
  readonly economy: Economy;
  readonly waiting: BeforeExpiry;
}

/** The model that is asked first reads the conversation: from the cache, where it is asked behind it. */
function writingCost({ options, state }: SessionContext, { tokens }: ConversationView, writing: Writing): number {
  const { economy, waiting } = writing;
  const { read, output } = economy.prices;
  const writer = options.writers?.auxiliary ?? waiting.main ?? options.writers?.main;
  const written = output * state.limits.handoffTokensMax * WRITTEN_SHARE;
  if (writer === undefined) return (waiting.remote ?? options.remote) === undefined ? 0 : tokens + written;
  const isBehind =
    writer !== options.writers?.auxiliary && writer.followsUp !== undefined && writer.followsUp !== false;
  return (isBehind ? read : 1) * tokens + written;
}
