/**
 * A request that its provider refused is changed so that it may be accepted. Whatever follows from a refusal belongs to that
 * request alone until the provider accepts a smaller form of it.
 */
import type { Overflow } from "../../protocols/protocol.ts";
import { allowsCompaction } from "../quirks/thinking.ts";
import type { HistoryContext } from "./context.ts";
import { type PreparedRequest } from "./model-request.ts";
import type { Prepared } from "../../session/contract.ts";
import { hasMedia } from "../../session/learn-window.ts";
import { applyModelLimits, inTurn, reportCompaction } from "./prepare.ts";
import { composeOutgoing } from "./outgoing.ts";
import { emitWindowNotice } from "../conversations/start.ts";

/** The same request, smaller, after its provider refused it as too large; undefined where it cannot be made smaller. */
export async function prepareAfterOverflow(
  context: HistoryContext,
  refused: PreparedRequest,
  overflow: Overflow,
): Promise<PreparedRequest | undefined> {
  if (!allowsCompaction(refused.withHiddenTurns, context.thinking) || isNotOfSize(refused, overflow)) return undefined;
  if (context.mode === "observe") {
    // The client's own request was refused and not what would have been sent: only the provider's word says something.
    if (overflow.limitTokens !== undefined)
      context.models.learnWindow(refused, {
        tokens: overflow.limitTokens,
        by: "named",
        refusedTokens: overflow.requestedTokens ?? refused.prepared.before,
        countsOutput: overflow.outputTokens !== undefined,
      });
    return undefined;
  }
  return inTurn(refused.conversation, () => smallerThan(context, refused, overflow));
}

/** A smaller request that cannot reach the limit which its error names: whatever is wrong with it, it is not its size. */
function isNotOfSize({ revealed, outgoing, prepared }: PreparedRequest, { limitTokens = 0 }: Overflow): boolean {
  const { messages, maxOutputTokens = 0 } = prepared.transcript;
  // A picture that is only named weighs more than its name.
  return revealed !== undefined && outgoing.body.length + maxOutputTokens < limitTokens && !messages.some(hasMedia);
}

async function smallerThan(
  context: HistoryContext,
  refused: PreparedRequest,
  overflow: Overflow,
): Promise<PreparedRequest | undefined> {
  const started = performance.now();
  const { reading, conversation } = refused;
  const { transcript } = refused.withHiddenTurns;
  const { runtime, pending, trials } = conversation;
  pending.broughtBy(reading.links.at(-1), reading);
  // Another request of this conversation may have gone to another upstream meanwhile, and a trial of a learned window is over.
  applyModelLimits(context, runtime, { ...refused, transcript }, "counts");
  const again = (prepared: Prepared, revealed: PreparedRequest["revealed"]): PreparedRequest => {
    const outgoing = composeOutgoing(context, { ...refused, prepared }, undefined);
    return { ...refused, prepared, revealed, outgoing };
  };
  // Another request of this conversation may have been refused meanwhile: this refusal says nothing of the compaction in effect since.
  const standing = await runtime.standing(transcript);
  if (countChars(standing) < countChars(refused.prepared)) return again(standing, refused.revealed);
  if (!trials.has(reading)) trials.set(reading, runtime.state());
  const prepared = await runtime.recover(overflow, transcript);
  if (prepared === undefined || countChars(prepared) >= countChars(refused.prepared)) return undefined;
  const smaller = again(prepared, { factor: runtime.state().factor, window: runtime.report().window });
  if (prepared.compaction !== undefined)
    reportCompaction(context, smaller, prepared.compaction, performance.now() - started);
  return smaller;
}

/** In characters, which no correction of an estimate changes. */
function countChars({ transcript: { messages } }: Prepared): number {
  return JSON.stringify(messages).length;
}

/**
 * The end of a request's retries. What its refusals revealed and brought is kept only where a smaller form of it was accepted:
 * a server that refuses everything teaches nothing, and the conversation stays as it was before.
 */
export function endRetries(context: HistoryContext, request: PreparedRequest, accepted: boolean): void {
  const { conversation, reading, revealed, tenant, model, upstream } = request;
  const { runtime, pending, trials } = conversation;
  const before = trials.get(reading);
  trials.delete(reading);
  pending.tried(reading, accepted);
  if (!accepted && before !== undefined) runtime.restore(before);
  if (accepted && request.alternates === true) context.alternation.learn(upstream, model);
  if (!accepted || revealed === undefined) return;
  context.models.learnFactor(tenant, model, revealed.factor);
  const { tokens, learned } = revealed.window;
  const window = learned === undefined ? undefined : context.models.learnWindow(request, { ...learned, tokens });
  if (window !== undefined) emitWindowNotice(context, request, { code: "window_learned", window });
}

/** The same request without the thinking that its provider says does not fit; undefined where that changes nothing. */
export function prepareWithoutThinking(context: HistoryContext, refused: PreparedRequest): PreparedRequest | undefined {
  // Its records are gone, or another gateway's: some of what it went through here is not known.
  refused.conversation.rewritten = true;
  const outgoing = composeOutgoing(context, refused, undefined);
  return outgoing.body === refused.outgoing.body ? undefined : { ...refused, outgoing };
}

/** The same request with neighbours of one role as one message; undefined where that changes nothing. */
export function prepareAlternating(context: HistoryContext, refused: PreparedRequest): PreparedRequest | undefined {
  const asked = { ...refused, alternates: true } as const;
  const outgoing = composeOutgoing(context, asked, undefined);
  return outgoing.body === refused.outgoing.body ? undefined : { ...asked, outgoing };
}

/**
 * The same request with a compaction of ours in place of the provider's own; undefined where none of its items is in it.
 * An item is bound to who made it: another account cannot read it, and another server does not even know what it is.
 */
export async function prepareWithoutItem(
  context: HistoryContext,
  refused: PreparedRequest,
): Promise<PreparedRequest | undefined> {
  const { conversation, reading, withHiddenTurns, tenant } = refused;
  const { runtime, pending, trials } = conversation;
  if (context.mode !== "rewrite" || !refused.prepared.compacted) return undefined;
  return inTurn(conversation, async () => {
    const started = performance.now();
    // The refusal may be about something else: the one before it stays, unless this form is accepted.
    pending.broughtBy(reading.links.at(-1), reading);
    const before = runtime.state();
    const prepared = await runtime.withoutRemote(withHiddenTurns.transcript, { because: ITEM_NOT_TAKEN });
    if (prepared === undefined) return undefined;
    if (!trials.has(reading)) trials.set(reading, before);
    const again = { ...refused, prepared, outgoing: composeOutgoing(context, { ...refused, prepared }, undefined) };
    context.onEvent({ kind: "notice", code: "degraded", tenant, message: ITEM_REFUSED });
    if (prepared.compaction !== undefined)
      reportCompaction(context, again, prepared.compaction, performance.now() - started);
    return again;
  });
}

const ITEM_NOT_TAKEN = "the provider did not take the item of its own compaction";
const ITEM_REFUSED =
  "a provider refused a request with the item of a provider's own compaction; it was sent again with a compaction that was made here";
