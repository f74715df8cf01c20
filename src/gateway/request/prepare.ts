/**
 * The fourth step: the conversation that the request continues is found, a compaction that exists takes its place, and whether
 * another is due is decided. Nothing here talks to a provider.
 */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { missingIn } from "../../core/receipt/counts.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import { memberOf } from "../../protocols/definition.ts";
import { type Decoded } from "../../protocols/protocol.ts";
import { definitions } from "../../protocols/registry.ts";
import type { Prepared, Runtime } from "../../session/contract.ts";
import { UNCACHED, type Caching } from "../models/caching.ts";
import type { CompactionEvent, UntouchedReason } from "../contract.ts";
import { rootOf, type Conversation, type ReadRequest } from "../conversations/conversations.ts";
import { clientCompaction } from "../quirks/client-compaction.ts";
import { noticeDroppedReasoning } from "../quirks/dropped-reasoning.ts";
import { allowsCompaction } from "../quirks/thinking.ts";
import type { HistoryContext } from "./context.ts";
import type { ServedModel } from "../models/models.ts";
import { faultReason } from "./fault.ts";
import { countsTokens, type PreparedRequest, type ReceivedRequest } from "./model-request.ts";
import { startConversation } from "../conversations/start.ts";
import { type SkipReason, composeOutgoing } from "./outgoing.ts";

/** @throws PrecisError of the store where it does not answer. */
export async function prepareRequest(
  context: HistoryContext,
  request: ReceivedRequest,
  reading: ReadRequest,
): Promise<PreparedRequest> {
  const known = await findConversation(context, request, reading);
  const { conversation } = known;
  const skipped = skipReason(context, request, known.withHiddenTurns);
  const { messages } = reading.decoded.transcript;
  const dropped = countsTokens(request) ? undefined : noticeDroppedReasoning(conversation, messages);
  if (dropped !== undefined) context.onEvent({ ...dropped, tenant: request.tenant });
  const started = performance.now();
  const prepared = await decide(context, known, skipped);
  const outgoing = composeOutgoing(context, { ...known, prepared }, skipped);
  const soon = prepared.soon && skipped === undefined;
  const { weighs } = conversation;
  const newTokens = weighs === undefined ? undefined : Math.max(0, prepared.before - weighs);
  conversation.weighs = prepared.before;
  const done: PreparedRequest = { ...known, prepared, soon, newTokens, outgoing };
  if (prepared.compaction !== undefined)
    reportCompaction(context, done, prepared.compaction, performance.now() - started);
  if (!countsTokens(request)) keepTiming(context, done);
  return done;
}

type KnownRequest = ReceivedRequest &
  Pick<PreparedRequest, "reading" | "withHiddenTurns" | "model" | "upstream" | "caching" | "conversation">;

/** @throws PrecisError of the store. */
export async function findConversation(
  context: HistoryContext,
  request: ReceivedRequest,
  reading: ReadRequest,
): Promise<KnownRequest> {
  const { tenant, destination } = request;
  const withHiddenTurns =
    context.recall === undefined ? reading.decoded : await context.recall.restored(tenant, reading);
  const model = withHiddenTurns.transcript.model ?? "";
  const loading = context.models.recalled(tenant, model);
  if (loading !== undefined) await loading;
  const upstream = `${destination.upstream.origin}${destination.upstream.basePath}`;
  const caching = findCaching(context, request, reading.decoded, model);
  const known = { ...request, reading, withHiddenTurns, model, upstream, caching };
  const conversation = await context.conversations.of(tenant, reading, (relative) =>
    startConversation(context, known, relative),
  );
  const { economy } = caching;
  conversation.pricing.economy = economy && { ...economy, addsTool: context.recall?.adds(withHiddenTurns) === true };
  return { ...known, conversation };
}

/** Anyone who looks at the store sees the window, from where on a conversation is compacted, and why it waits. */
function keepTiming(context: HistoryContext, request: PreparedRequest): void {
  const { conversation } = request;
  const { timing: due, window } = conversation.runtime.report();
  const { postponed, ...figures } = due;
  const timing = JSON.stringify([figures, postponed?.by, window]);
  if (timing === conversation.timing) return;
  conversation.timing = timing;
  keepState(context, request);
}

function findCaching({ caching }: HistoryContext, request: ReceivedRequest, asked: Decoded, model: string): Caching {
  const { route, destination } = request;
  if (countsTokens(request)) return UNCACHED;
  return caching.of({ protocol: route.protocol, model, upstream: destination.upstream, asked });
}

/** What replaces the conversation: the compaction that exists, or a new one where it is due. */
async function decide(context: HistoryContext, request: KnownRequest, skipped: SkipReason): Promise<Prepared> {
  const { reading, withHiddenTurns, conversation } = request;
  const { transcript } = withHiddenTurns;
  const isAnswered = !countsTokens(request);
  const repeats = reading.links.length <= conversation.sent;
  const mayCompact = skipped === undefined && isAnswered;
  const prepared = await inTurn(conversation, async () => {
    const { runtime } = conversation;
    conversation.pending.broughtBy(reading.links.at(-1));
    applyModelLimits(context, runtime, { ...request, transcript });
    if (mayCompact && !repeats) return prepare(runtime, transcript);
    const standing = await runtime.standing(transcript);
    // What does not fit cannot have gone out before, and nothing has gone out under a threshold that was set since.
    const isNew = !standing.fits || thresholdSet(runtime) !== conversation.threshold;
    return mayCompact && isNew ? prepare(runtime, transcript) : standing;
  });
  if (!isAnswered) return prepared;
  if (mayCompact && thresholdSet(conversation.runtime) !== conversation.threshold) {
    conversation.threshold = thresholdSet(conversation.runtime);
    conversation.sent = 0;
  }
  conversation.sent = Math.max(conversation.sent, reading.links.length);
  return prepared;
}

function thresholdSet(runtime: Runtime): string | undefined {
  return JSON.stringify(runtime.report().timing.set);
}

const CANNOT_KEEP: ReadonlySet<UntouchedReason> = new Set(["store_unavailable", "tenant_store_full"]);

/** Where nothing new can be kept, what is stored can still be read. */
async function prepare(runtime: Runtime, transcript: Transcript): Promise<Prepared> {
  try {
    return await runtime.prepare(transcript);
  } catch (error) {
    if (!CANNOT_KEEP.has(faultReason(error))) throw error;
    const prepared = await runtime.standing(transcript);
    if (!prepared.compacted) throw error;
    return prepared;
  }
}

/** Requests of one conversation are decided one after another. */
export function inTurn<Answer>(conversation: Conversation, work: () => Promise<Answer>): Promise<Answer> {
  const next = conversation.turn.then(work);
  conversation.turn = next.catch(() => undefined);
  return next;
}

/** The limits that follow from this very request: its model, and what it reserves for the answer. */
export function applyModelLimits(
  { models, runtime: { settings } }: HistoryContext,
  runtime: Runtime,
  request: ServedModel & { readonly transcript: Transcript },
  onTrial?: "counts",
): void {
  const { tenant, model, transcript, upstream } = request;
  const { window } = models.of(tenant, model, upstream, onTrial);
  const contextLength = window.tokens;
  const maxOutputTokens = transcript.maxOutputTokens ?? settings?.maxOutputTokens ?? 0;
  runtime.modelChanged({ model, contextLength, maxOutputTokens, window });
}

/** Why nothing new is compacted for this request, whatever it weighs. */
export function skipReason({ thinking }: HistoryContext, { route }: ReceivedRequest, request: Decoded): SkipReason {
  if (route.asks === "compact") return "client_compaction";
  const { asksSummary } = definitions[request.protocol];
  if (asksSummary?.(memberOf(request)) === true || clientCompaction(request.transcript) !== undefined)
    return "client_compaction";
  return allowsCompaction(request, thinking) ? undefined : "bound_thinking";
}

/** A compaction was made: it is reported, and the session's counters are kept for another process. */
export function reportCompaction(
  context: HistoryContext,
  request: KnownRequest & { readonly prepared: Pick<Prepared, "ahead" | "dueTokens"> },
  { report }: Compaction,
  tookMs: number,
): void {
  const { tenant, model, prepared } = request;
  const { engine, reason, because, tokens, messages, degraded, restarted = false, modelCalls, costUsd } = report;
  const how = { tookMs, ahead: prepared.ahead === true };
  const figures = {
    tokens,
    dueTokens: prepared.dueTokens ?? tokens.before,
    degraded,
    shortened: messages.edited,
    restarted,
    lostRequests: missingIn(report.receipt, "request"),
    modelCalls,
    costUsd,
  };
  const event: CompactionEvent = { kind: "compaction", tenant, model, engine, reason, because, ...figures, ...how };
  context.onEvent(event);
  keepState(context, request);
}

function keepState(
  { mode, store }: HistoryContext,
  { tenant, reading, conversation }: Pick<PreparedRequest, "tenant" | "reading" | "conversation">,
): void {
  if (mode !== "rewrite") return;
  const state = conversation.runtime.state();
  conversation.pending.add(() => store.putState(tenant, rootOf(reading), state).catch(() => undefined));
}
