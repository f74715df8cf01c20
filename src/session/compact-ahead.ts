/**
 * A compaction made before it is due, while the agent waits for its model: kept in memory until then, put in place in one
 * step, and forgotten where the conversation went another way.
 */
import { applyCompaction, type Compaction, type CompactionReason } from "../core/compaction/compaction.ts";
import { honours, NO_PINS } from "../core/compaction/pins.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { WaitingForMain } from "./contract.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";
import { pinsOf } from "./pins.ts";
import { withReason, viewConversation, makeCompaction, recordCompaction } from "./turn.ts";

/** Makes it. False where nothing came of it: no need, no way, or another is being made. */
export async function compactAhead(
  context: SessionContext,
  transcript: Transcript,
  waiting: WaitingForMain,
): Promise<boolean> {
  const { state, options } = context;
  if (state.ahead !== undefined || options.enabled === false) return false;
  const view = await viewConversation(context, transcript, waiting.signal);
  if (view.standing.undone || view.tokens < state.limits.pressureTokens) return false;
  const { engineState } = state;
  const outcome = await makeCompaction(context, view, { ...waiting, reason: "threshold" });
  if (outcome.kind !== "compacted") {
    // Nobody asked for it, so it does not count against the session.
    state.engineState = engineState;
    state.futileAheadTokens = view.tokens;
    return false;
  }
  state.ahead = outcome.compaction;
  state.waitsForExpiry = false;
  return true;
}

/** Why it is put in place now, and the call that waits for it. */
export interface TakeRequest {
  readonly signal?: AbortSignal | undefined;
  readonly reason: CompactionReason;
  readonly because?: string | undefined;
}

/** Puts it in place where it still fits what is asked for now; it is used up either way, but where the call aborts. */
export async function takePreparedCompaction(
  context: SessionContext,
  view: ConversationView,
  { reason, because, signal }: TakeRequest,
): Promise<Compaction | undefined> {
  const { state, chain } = context;
  const { ahead } = state;
  if (ahead === undefined) return undefined;
  state.ahead = undefined;
  const { original, standing } = view;
  const sameSoFar = chain.linksOf(original.messages.slice(0, ahead.covered)).at(-1) === ahead.covers;
  const goesFurther = (standing.compaction?.covered ?? 0) < ahead.covered && isEditedAlike(standing.compaction, ahead);
  if (!sameSoFar || !goesFurther || !(await keepsToPins(context, original, ahead))) return undefined;
  const after = estimatorOf(context).measure.transcript(applyCompaction(original, ahead));
  if (after >= state.limits.thresholdTokens) return undefined;
  try {
    const due = { ...ahead, report: { ...ahead.report, reason } };
    return await recordCompaction(context, view, because === undefined ? due : withReason(due, because), signal);
  } catch (error) {
    if (signal?.aborted === true) state.ahead ??= ahead;
    throw error;
  }
}

/** Something may have been dropped by hand since it was made. */
function isEditedAlike(standing: Compaction | undefined, ahead: Compaction): boolean {
  return JSON.stringify(standing?.byHand ?? []) === JSON.stringify(ahead.byHand ?? []);
}

/** Something may have been pinned since it was made. */
async function keepsToPins(context: SessionContext, original: Transcript, ahead: Compaction): Promise<boolean> {
  const pins = await pinsOf(context, original);
  return pins === NO_PINS || honours(ahead, pins, createRedactor(context.options.secrets));
}

/** True where a compaction that is due can be left to be made ahead: others write it, and the window is not full yet. */
export function canWait({ options, state }: SessionContext, { tokens }: ConversationView): boolean {
  const { writers, remote, mainAhead } = options;
  const asks = mainAhead === true || (remote ?? writers?.auxiliary ?? writers?.main) !== undefined;
  return options.modelsAhead === true && asks && tokens < state.limits.hygieneTokens;
}
