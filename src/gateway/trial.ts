/**
 * A request that its provider refused: made such that it may be taken, and tried again. Whatever follows from a refusal
 * belongs to that request alone until the provider takes a smaller form of it.
 */
import type { Overflow } from "../protocols/index.ts";
import type { Prepared } from "../session/contract.ts";
import { hasMedia } from "../session/refusals.ts";
import { allowsCompaction } from "./knowledge/thinking/index.ts";
import { inTurn, outgoing, settled, suit, type Visit, type VisitDesk } from "./visit.ts";

/** The same request, smaller, after its provider refused it as too large; undefined where nothing smaller is to be had. */
export async function visitAgain(desk: VisitDesk, before: Visit, overflow: Overflow): Promise<Visit | undefined> {
  const { conversation, told } = before;
  if (!allowsCompaction(told, desk.thinking) || isNotOfSize(before, overflow)) return undefined;
  if (desk.mode === "observe") {
    // The client's own request was refused and not what would have been sent: only the provider's word says something.
    if (overflow.limitTokens !== undefined) learnWindow(desk, before, overflow.limitTokens);
    return undefined;
  }
  return inTurn(conversation, () => smallerThan(desk, before, overflow));
}

/** A smaller request that cannot reach the limit which its error names: whatever is wrong with it, it is not its size. */
function isNotOfSize({ shown, body, prepared }: Visit, { limitTokens = 0 }: Overflow): boolean {
  const { messages, maxOutputTokens = 0 } = prepared.transcript;
  // A picture that is only named weighs more than its name.
  return shown !== undefined && body.length + maxOutputTokens < limitTokens && !messages.some(hasMedia);
}

async function smallerThan(desk: VisitDesk, before: Visit, overflow: Overflow): Promise<Visit | undefined> {
  const started = performance.now();
  const { conversation, told, reading } = before;
  const { runtime, pending, trials } = conversation;
  pending.broughtBy(reading.links.at(-1), reading);
  // Another request of this conversation may have gone to another upstream meanwhile.
  suit(desk, runtime, { ...before, transcript: told.transcript });
  const again = (prepared: Prepared, shown: Visit["shown"]): Visit => ({
    ...before,
    prepared,
    shown,
    ...outgoing(desk, { ...before, spared: undefined }, prepared),
  });
  // Another request of this conversation may have been refused meanwhile: this refusal says nothing of what stands since.
  const standing = await runtime.standing(told.transcript);
  if (charsOf(standing) < charsOf(before.prepared)) return again(standing, before.shown);
  if (!trials.has(reading)) trials.set(reading, runtime.state());
  const prepared = await runtime.recover(overflow, told.transcript);
  if (prepared === undefined || charsOf(prepared) >= charsOf(before.prepared)) return undefined;
  const smaller = again(prepared, runtime.state());
  if (prepared.compaction !== undefined) settled(desk, smaller, prepared.compaction, performance.now() - started);
  return smaller;
}

/** In characters, which no correction of an estimate changes. */
function charsOf({ transcript: { messages } }: Prepared): number {
  return JSON.stringify(messages).length;
}

/**
 * The end of a request's retries. What its refusals showed and brought is kept only where a smaller form of it was taken: a
 * server that refuses everything teaches nothing, and the conversation stands as it did before.
 */
export function endTrial(desk: VisitDesk, { conversation, reading, ...visited }: Visit, isTaken: boolean): void {
  const { runtime, pending, trials } = conversation;
  const before = trials.get(reading);
  trials.delete(reading);
  pending.tried(reading, isTaken);
  if (!isTaken && before !== undefined) runtime.restore(before);
  const { shown, tenant, model } = visited;
  if (!isTaken || shown === undefined) return;
  desk.models.learnFactor(tenant, model, shown.factor);
  learnWindow(desk, visited, shown.contextLength);
}

/** A window below what was believed, for requests to come. */
function learnWindow(
  desk: VisitDesk,
  { tenant, model, upstream }: Pick<Visit, "tenant" | "model" | "upstream">,
  limitTokens: number,
): void {
  const { models, mode, tell } = desk;
  if (limitTokens >= models.of(tenant, model, upstream).windowTokens) return;
  models.learnWindow(tenant, model, { upstream, limitTokens });
  // Where nothing is rewritten, nothing follows from it.
  if (mode === "observe") return;
  const { windowTokens } = models.of(tenant, model, upstream);
  const message = `${model || "a model"} refused a request as too large; its window counts as ${windowTokens} tokens`;
  tell({ kind: "notice", code: "window_learned", tenant, message });
}

/** The same request with the thinking left out that its provider says does not fit; undefined where that changes nothing. */
export function visitRelaxed(desk: VisitDesk, before: Visit): Visit | undefined {
  const { conversation, prepared } = before;
  // Its records are gone, or another gateway's: some of what it went through here is not known.
  conversation.rewritten = true;
  const out = outgoing(desk, { ...before, spared: undefined }, prepared);
  return out.body === before.body ? undefined : { ...before, ...out };
}
