/** The steps of a turn: see what is in effect, decide what is due, compact, record, and settle on what to send. */
import {
  applyCompaction,
  type Compaction,
  type CompactionReason,
  type Irreducible,
} from "../core/compaction/compaction.ts";
import { compactEdited } from "../core/compaction/edited.ts";
import { reachTo } from "../core/compaction/reach.ts";
import type { WindowLimits } from "../core/engines/window.ts";
import { PrecisError } from "../core/errors.ts";
import type { CompactRequest, Decision, Outcome, Remote } from "../core/engines/contract.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { reportedUsage, type ReportedUsage } from "../protocols/index.ts";
import { learnFactor, plausibleTokens } from "./calibration.ts";
import type { CompactOptions, Prepared, RuntimeOptions, WaitingForMain } from "./contract.ts";
import { cooldownText } from "./cooldowns.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";
import { isPostponed, withPriceVerdict, type ScheduledDecision } from "./economy.ts";
import { removedResults } from "./removed-results.ts";
import { announceDisabledEngine, compactWithEngine, decideWithEngine, observeWithEngine } from "./external-engine.ts";
import { adoptCompaction } from "./state.ts";
import { originalsOf } from "./originals.ts";
import { pinsOf } from "./pins.ts";
import { notCompacted, withinTime } from "./responses-compaction.ts";
import { forgetContradicted } from "./learn-window.ts";
import type { SentRequest } from "./context-usage.ts";
import { readSafely } from "./read-safely.ts";
import { timingOf } from "./postpone.ts";
import { followThreshold } from "./threshold.ts";
import { untilAborted } from "./until-aborted.ts";
import { writersOf } from "./session-writers.ts";
import { afterReply, afterSummary, HANDOFF_WAIT_MS, SESSION_SPEND_LIMIT, withheldBy } from "./summarizer.ts";

/** Hygiene leaves conversations of fewer messages alone (Hermes Agent docs). */
const HYGIENE_MESSAGES_MIN = 4;

/** What was asked for, and who may write it. */
export interface CompactCall extends CompactOptions, WaitingForMain {
  /** Models may be asked. By default all but hygiene waits for them. */
  readonly models?: boolean;
}

export async function viewConversation(
  context: SessionContext,
  original: Transcript,
  signal?: AbortSignal,
): Promise<ConversationView> {
  const { store, tenant, chain, state, contextUsage } = context;
  signal?.throwIfAborted();
  announceDisabledEngine(context);
  const links = chain.linksOf(original.messages);
  const [standing] = await Promise.all([
    untilAborted(signal, () => store.findCompaction(tenant, links)),
    untilAborted(signal, () => followThreshold(context, original)),
  ]);
  const { compaction } = standing;
  if (compaction !== undefined && compaction.covers !== state.lastCovers) adoptCompaction(state, compaction);
  const current = await ingested(context, original, compaction);
  return { original, current, standing, tokens: contextUsage.tokensOf(current, estimatorOf(context)) };
}

/** With large results digested, where that is wanted. Originals are kept first: nothing leaves that cannot be recalled. */
async function ingested(
  context: SessionContext,
  original: Transcript,
  compaction: Compaction | undefined,
): Promise<Transcript> {
  const { ingest, kept, store, tenant } = context;
  if (ingest === undefined) return compaction === undefined ? original : applyCompaction(original, compaction);
  const leaving = ingest(original.messages).evicted.filter(({ id }) => !kept.has(id));
  if (leaving.length > 0) {
    const originals = leaving.map(({ id, kind, label, original: text = "" }) => ({ id, kind, label, text }));
    await store.putOriginals(tenant, originals);
    for (const { id } of leaving) kept.add(id);
  }
  return resultOf(context, original, compaction);
}

/** What is due by itself. A person who undid a compaction is not overruled; back-off binds the engine, not hygiene. */
export function decideCompaction(
  context: SessionContext,
  view: ConversationView,
): ScheduledDecision | Promise<ScheduledDecision> {
  const { options, state } = context;
  const { current, standing, tokens } = view;
  if (options.enabled === false) return { kind: "none" };
  const messages = current.messages.length;
  const { thresholdTokens, hygieneTokens, usableTokens } = state.limits;
  if (standing.undone) return tokens < thresholdTokens ? { kind: "none" } : { kind: "wait", because: UNDONE };
  // What does not fit would be refused for certain, however few its messages.
  if (tokens > usableTokens) return HYGIENE;
  if (tokens >= hygieneTokens && messages >= HYGIENE_MESSAGES_MIN) return hygieneDecision(context, view);
  const decided = decideWithEngine(context, { tokens, messages });
  if (decided instanceof Promise) return decided.then((decision) => withPriceVerdict(context, view, decision));
  return withPriceVerdict(context, view, decided);
}

const UNDONE = "the last compaction was undone: only an overflow or an explicit call compacts now";
const HYGIENE: Decision = Object.freeze({ kind: "compact", reason: "hygiene", urgency: "now" });
const PATIENT_HYGIENE: Decision = Object.freeze({ ...HYGIENE, urgency: "soon" });

/**
 * Where the engine itself would compact later, hygiene makes that compaction earlier: unless the engine rests, there is time
 * for a model to write.
 */
function hygieneDecision(context: SessionContext, { current }: ConversationView): Decision | Promise<Decision> {
  const { thresholdTokens, hygieneTokens } = context.state.limits;
  if (thresholdTokens <= hygieneTokens) return HYGIENE;
  const decided = decideWithEngine(context, { tokens: thresholdTokens + 1, messages: current.messages.length });
  const patient = (decision: Decision): Decision => (decision.kind === "compact" ? PATIENT_HYGIENE : HYGIENE);
  return decided instanceof Promise ? decided.then(patient) : patient(decided);
}

export async function compactView(
  context: SessionContext,
  view: ConversationView,
  request: CompactCall,
): Promise<Outcome> {
  const outcome = await makeCompaction(context, view, request);
  if (outcome.kind === "unchanged") return outcome;
  return { kind: "compacted", compaction: await recordCompaction(context, view, outcome.compaction, request.signal) };
}

/** Has the engine make a compaction, and learns from the attempt; nothing is recorded. */
export async function makeCompaction(
  context: SessionContext,
  view: ConversationView,
  request: CompactCall,
): Promise<Outcome> {
  const { state, options, events } = context;
  const { signal } = request;
  await untilAborted(signal, () => options.hooks?.beforeCompact?.(view.original.messages));
  const { force: _, main = options.writers?.main, reason = "explicit", because, ...calling } = request;
  const { remote = options.remote, ...asking } = calling;
  // Hygiene guards the window and waits on no model, unless it was decided that there is time.
  const { models = reason !== "hygiene", ...rest } = asking;
  const standing = view.current === view.original ? {} : { standing: view.current };
  const asked: CompactRequest = {
    ...estimatorOf(context),
    ...rest,
    ...standing,
    ...(models && (main ?? options.writers) !== undefined ? { writers: writersOf(context, { main }) } : {}),
    ...(models && remote !== undefined ? { remote: remoteOf(context, remote) } : {}),
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    ...(options.readFile === undefined ? {} : { readFile: options.readFile }),
    now: timeOf(options),
    reason,
  };
  const { byHand = [] } = view.standing.compaction ?? {};
  const run = (one: CompactRequest): Promise<Outcome> =>
    compactEdited(view.original, byHand, one, (transcript, own) => compactWithEngine(context, transcript, own));
  const limitTokens = asked.budget ?? limitFor(reason, state.limits);
  const pins = await untilAborted(signal, () => pinsOf(context, view.original));
  const keeping = { original: view.original, request: asked, limitTokens, compact: run, pins, byHand };
  const outcome = await untilAborted(signal, () => context.keepMessages(keeping));
  learnFrom(context, outcome);
  if (outcome.kind === "compacted") {
    const made = because === undefined ? outcome.compaction : withReason(outcome.compaction, because);
    const amended = options.amend?.(made, view.original, estimatorOf(context)) ?? made;
    // The record of the longest prefix is in effect: one that reaches less far than the last would never be found.
    const least = (view.standing.compaction?.covered ?? 0) + 1;
    return { kind: "compacted", compaction: reachTo(amended, least, view.original, context.chain) };
  }
  if (outcome.state !== undefined) state.engineState = outcome.state;
  if (outcome.irreducible !== undefined) events.emit("irreducible", outcome.irreducible);
  return outcome;
}

/** Above this a result that keeps every request would be no use: it would be compacted again, or refused, at once. */
function limitFor(reason: CompactionReason, { thresholdTokens, hygieneTokens, usableTokens }: WindowLimits): number {
  if (reason === "overflow" || reason === "payload") return usableTokens;
  return reason === "hygiene" ? hygieneTokens : thresholdTokens;
}

/** The same, with what spoke for its moment in its report. */
export function withReason(compaction: Compaction, because: string): Compaction {
  return { ...compaction, report: { ...compaction.report, because } };
}

/** In time, within what the session may spend, and with no more to read than a request would show. */
function remoteOf({ state, options, outgoing }: SessionContext, remote: Remote): Remote {
  const timed = withinTime(remote, waitMsOf(options));
  return async (transcript, signal) => {
    const spent = withheldBy(state.summarizer, { ...SESSION_SPEND_LIMIT, ...options.spendLimit });
    const withheld = spent ?? options.sharedBudget?.withheld();
    if (withheld !== undefined) throw notCompacted(withheld);
    const item = await timed(outgoing(transcript), signal);
    const usage = { inputTokens: 0, outputTokens: 0, ...item.usage, requests: 1 };
    state.summarizer = afterReply(state.summarizer, { usage });
    return item;
  };
}

function learnFrom({ options, state, events }: SessionContext, outcome: Outcome): void {
  const summary = outcome.kind === "compacted" ? outcome.compaction.report.summary : undefined;
  if (summary === undefined) return;
  const before = state.summarizer.rests;
  const now = timeOf(options);
  state.summarizer = afterSummary(state.summarizer, summary, now);
  for (const rest of state.summarizer.rests)
    if (!before.includes(rest)) events.emit("modelResting", { ...rest, because: cooldownText(rest, now) });
}

function waitMsOf({ handoffWaitMs = HANDOFF_WAIT_MS }: RuntimeOptions): number {
  return handoffWaitMs;
}

function timeOf({ now = Date.now }: RuntimeOptions): number {
  return now();
}

/** Keeps a compaction and answers with the one in effect: another may have been first. */
export async function recordCompaction(
  context: SessionContext,
  view: ConversationView,
  made: Compaction,
  signal?: AbortSignal,
): Promise<Compaction> {
  const { store, tenant, state, events, contextUsage, options, chain } = context;
  // Originals alone change nothing; from the record on there is no way back, and no abort is heard.
  await untilAborted(signal, () => store.putOriginals(tenant, originalsOf(made, view.original)));
  // For the very same conversation, the one it was made upon gives way; whoever came first otherwise stays.
  if (view.standing.compaction?.covers === made.covers) await store.undoCompaction(tenant, made.covers);
  const compaction = await store.putCompaction(tenant, made, chain.linksOf(view.original.messages)[0]);
  const { report } = compaction;
  contextUsage.forget();
  state.nothingRead = false;
  adoptCompaction(state, compaction);
  state.compactions++;
  state.savedTokens += report.tokens.before - report.tokens.after;
  state.last = report;
  events.emit("compacted", { compaction });
  if (report.degraded.length > 0) events.emit("degraded", { because: report.degraded, report });
  if (report.irreducible !== undefined) events.emit("irreducible", report.irreducible);
  const after = applyCompaction(view.original, compaction);
  await options.hooks?.afterCompact?.(compaction, {
    noLongerVisible: removedResults(view.original.messages, compaction),
    parent: chain.linksOf(view.current.messages).at(-1) ?? "",
    child: chain.linksOf(after.messages).at(-1) ?? "",
  });
  return compaction;
}

function resultOf({ ingest }: SessionContext, original: Transcript, compaction: Compaction | undefined): Transcript {
  const applied = compaction === undefined ? original : applyCompaction(original, compaction);
  const messages = ingest?.(applied.messages).messages ?? applied.messages;
  return messages === applied.messages ? applied : { ...applied, messages };
}

/** What came of a compaction that was due. */
interface SettleOptions {
  readonly compaction?: Compaction;
  readonly irreducible?: Irreducible | undefined;
}

/** What to send, counted; the operator hears once when the threshold comes near. */
export function settleRequest(context: SessionContext, view: ConversationView, outcome: SettleOptions = {}): Prepared {
  const { compaction, irreducible } = outcome;
  const { state, events, contextUsage } = context;
  const estimator = estimatorOf(context);
  const transcript = compaction === undefined ? view.current : resultOf(context, view.original, compaction);
  const tokens = compaction === undefined ? view.tokens : contextUsage.tokensOf(transcript, estimator);
  const isNew = compaction !== undefined || transcript.messages.every(({ role }) => role !== "assistant");
  const sent = contextUsage.sent(transcript, { estimator, isNew });
  const stands = compaction ?? view.standing.compaction;
  state.tokens = tokens;
  state.removedIds = stands?.evicted.map(({ id }) => id) ?? [];
  state.sentAtMs = timeOf(context.options);
  const { pressureTokens } = state.limits;
  const pressed = tokens >= pressureTokens;
  if (pressed && !state.pressed) events.emit("pressure", { tokens, pressureTokens, ...timingOf(context) });
  state.pressed = pressed;
  const compacted = transcript !== view.original;
  return {
    transcript: context.outgoing(transcript),
    tokens,
    before: compacted ? estimator.measure.transcript(view.original) : tokens,
    compacted,
    recallable: stands !== undefined,
    fits: tokens <= state.limits.usableTokens,
    soon: compaction === undefined && pressed && isWorthCompactingAhead(context, view),
    lostRequests: compacted ? lostRequestsIn(stands) : 0,
    observe: (usage) => observe(context, usage, sent),
    ...(irreducible === undefined ? {} : { irreducible }),
    ...(compaction === undefined ? {} : { compaction, dueTokens: view.tokens }),
  };
}

function lostRequestsIn(compaction: Compaction | undefined): number {
  return compaction?.report.lost.requests.absent ?? 0;
}

/** One that prices put off is made when the window itself comes near. */
const PRESSED_SHARE = 0.85;
/** An attempt that came to nothing is not made again until the conversation has grown by as much. */
const GROWN_SINCE_FUTILE = 1.1;

function isWorthCompactingAhead(context: SessionContext, view: ConversationView): boolean {
  const { state } = context;
  const { standing, tokens } = view;
  if (standing.undone || state.ahead !== undefined || tokens <= state.futileAheadTokens * GROWN_SINCE_FUTILE)
    return false;
  return tokens >= state.limits.hygieneTokens * PRESSED_SHARE || !isPostponed(context, view);
}

/**
 * The usage reported for what was sent; for the newest where it is not said.
 *
 * @throws PrecisError `bad_usage` for what is not a usage object; the session is then as it was.
 */
export function observe(context: SessionContext, reported: ReportedUsage, about?: SentRequest): void {
  const { state, contextUsage, estimate } = context;
  const usage = readSafely(() => reportedUsage(reported));
  if (usage === undefined) throw badUsage(reported);
  observeWithEngine(context, usage);
  forgetContradicted(context, usage);
  const sent = contextUsage.newestOr(about);
  if (sent === undefined) return;
  const estimated = estimate.transcript(sent.transcript);
  const isCurrent = contextUsage.reported(plausibleTokens(usage.input, estimated), sent);
  if (isCurrent && !sent.isNew) state.nothingRead = usage.cacheRead === 0;
  state.factor = learnFactor(state.factor, usage.input, estimated);
}

function badUsage(reported: unknown): PrecisError {
  const isObject = typeof reported === "object" && reported !== null;
  const keys = (isObject ? readSafely(() => Object.keys(reported).slice(0, SHOWN_KEYS_MAX)) : undefined) ?? [];
  const what =
    keys.length === 0 ? `it is ${reported === null ? "null" : typeof reported}` : `it has ${keys.join(", ")}`;
  return new PrecisError(`The reported usage has no count of input tokens: ${what}.`, {
    code: "bad_usage",
    place: "usage",
    hint:
      "Pass the provider's usage object with `prompt_tokens`, `input_tokens` or `inputTokens`, or `{ input, output }`, " +
      "each a number of tokens. Leave the call out when the provider reports none.",
  });
}

const SHOWN_KEYS_MAX = 8;
