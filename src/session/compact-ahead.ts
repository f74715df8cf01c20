/**
 * A compaction made before it is due, while the agent waits for its model: kept in memory until then, put in place in one
 * step, and forgotten where the conversation went another way.
 */
import { applyCompaction, type Compaction, type CompactionReason } from "../core/compaction/compaction.ts";
import { honours, NO_PINS } from "../core/compaction/keep-messages.ts";
import { createRedactor } from "../core/redaction/redactor.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { MakingAhead, CompactOptions, Prepared } from "./contract.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";
import { latestOf } from "./economy.ts";
import { pinsOf } from "./pins.ts";
import { afterReply, afterSummary } from "./summarizer.ts";
import { makeCompaction, recordCompaction, withReason, compactView } from "./make-compaction.ts";
import { freesTokensMin, isResting, viewConversation, settleRequest } from "./turn.ts";

/** Makes it. False where nothing came of it: no need, no way, or another is being made. */
export async function compactAhead(
  context: SessionContext,
  transcript: Transcript,
  { decided = false, ...waiting }: MakingAhead,
): Promise<boolean> {
  const { state, options } = context;
  if (state.ahead !== undefined || options.enabled === false) return false;
  const view = await viewConversation(context, transcript, waiting.signal);
  if (view.standing.undone || isResting(context, view)) return false;
  if (!decided && view.tokens < state.limits.pressureTokens) return false;
  const { engineState } = state;
  const outcome = await makeCompaction(context, view, { ...waiting, reason: "threshold" });
  if (outcome.kind !== "compacted") {
    // Nobody asked for it, so it does not count against the session.
    state.engineState = engineState;
    return false;
  }
  state.ahead = outcome.compaction;
  await options.sharedAhead?.put(outcome.compaction);
  return true;
}

/** Looks whether another process has made it, where one is near and none is in memory. */
export async function findPreparedElsewhere(
  { state, options, chain }: SessionContext,
  { original, standing, tokens }: ConversationView,
): Promise<void> {
  const { sharedAhead } = options;
  if (sharedAhead === undefined || state.ahead !== undefined || options.enabled === false) return;
  if (standing.undone || tokens < state.limits.pressureTokens) return;
  const links = chain.linksOf(original.messages).slice(standing.compaction?.covered ?? 0);
  // Without it the compaction is made here.
  const found = await sharedAhead.find(links).catch(() => undefined);
  if (found === undefined) return;
  state.ahead = found;
  const { summary, modelCalls, costUsd } = found.report;
  const usage = { inputTokens: 0, outputTokens: 0, requests: modelCalls, costUsd };
  state.summarizer = afterReply(state.summarizer, { usage });
  if (summary !== undefined) state.summarizer = afterSummary(state.summarizer, summary, (options.now ?? Date.now)());
}

interface TakeRequest {
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
  const { state, chain, options } = context;
  const { ahead } = state;
  if (ahead === undefined) return undefined;
  state.ahead = undefined;
  const { original, standing } = view;
  const sameSoFar = chain.linksOf(original.messages.slice(0, ahead.covered)).at(-1) === ahead.covers;
  const goesFurther = (standing.compaction?.covered ?? 0) < ahead.covered && isEditedAlike(standing.compaction, ahead);
  // Of a branch that was left it is still right.
  if (!sameSoFar) return undefined;
  const fits = goesFurther && (await keepsToPins(context, original, ahead));
  const { measure } = estimatorOf(context);
  const frees = fits ? measure.transcript(view.current) - measure.transcript(applyCompaction(original, ahead)) : 0;
  const isEnough = frees >= (freesTokensMin(context, view, reason) ?? 1);
  // With what has come since, it would be due again at once.
  if (!isEnough || measure.transcript(view.current) - frees >= state.limits.thresholdTokens) {
    options.sharedAhead?.drop(ahead);
    return undefined;
  }
  try {
    const due = { ...ahead, report: { ...ahead.report, reason } };
    const made = await recordCompaction(context, view, because === undefined ? due : withReason(due, because), signal);
    options.sharedAhead?.drop(ahead);
    return made;
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
export function canWait(context: SessionContext, { tokens }: ConversationView): boolean {
  const { options } = context;
  const { writers, remote, mainAhead } = options;
  const asks = mainAhead === true || (remote ?? writers?.auxiliary ?? writers?.main) !== undefined;
  return options.modelsAhead === true && asks && tokens < latestOf(context);
}

export async function compactWithoutRemote(
  context: SessionContext,
  transcript: Transcript,
  asked: CompactOptions,
): Promise<Prepared | undefined> {
  const view = await viewConversation(context, transcript, asked.signal);
  const { compaction } = view.standing;
  if (compaction === undefined || !holdsItem(compaction)) return undefined;
  // What stands is smaller than any handoff, and of no use: savings are counted from the conversation itself.
  const afresh = { ...view, current: view.original };
  const { reason } = compaction.report;
  const outcome = await compactView(context, afresh, { models: asked.reason === "explicit", reason, ...asked });
  return outcome.kind === "compacted" ? settleRequest(context, view, outcome) : undefined;
}

function holdsItem({ after }: Compaction): boolean {
  return after.some(({ origin, parts }) => origin === "summary" && parts.some(({ kind }) => kind === "opaque"));
}
