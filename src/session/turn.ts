/** The steps of a turn: see what is in effect, decide what is due, and settle on what to send once that is made. */
import {
  applyCompaction,
  type Compaction,
  type Irreducible,
  type CompactionReason,
} from "../core/compaction/compaction.ts";
import type { Decision } from "../core/engines/contract.ts";
import { type Transcript, type Message, type Part, mediaIn } from "../core/transcript/message.ts";
import type { Prepared } from "./contract.ts";
import { missingIn } from "../core/receipt/counts.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";
import { hasExpired, isPostponed, latestOf, withPriceVerdict, type ScheduledDecision } from "./economy.ts";
import { announceDisabledEngine, decideWithEngine } from "./external-engine.ts";
import { observe } from "./learn-window.ts";
import { timingOf } from "./postpone.ts";
import { adoptCompaction, followFixedPart, followRequestedOutput } from "./state.ts";
import { followThreshold } from "./threshold.ts";
import { untilAborted } from "./time-limit.ts";
import { amend, emptyCompaction, originsIn } from "../core/compaction/revise.ts";
import { byPerson } from "../core/events/person.ts";
import { evictMediaWhere } from "../core/passes/evict-media.ts";
import { repairText } from "../core/passes/repair.ts";
import { exchangesOf } from "../core/transcript/exchanges.ts";
import { mediaBeyond } from "../protocols/media-limits.ts";
import { definitions } from "../protocols/registry.ts";

/** Hygiene leaves conversations of fewer messages alone (Hermes Agent docs). */
const HYGIENE_MESSAGES_MIN = 4;

export async function viewConversation(
  context: SessionContext,
  original: Transcript,
  signal?: AbortSignal,
): Promise<ConversationView> {
  const { store, tenant, chain, state, contextUsage } = context;
  signal?.throwIfAborted();
  followRequestedOutput(state, context.options, original.maxOutputTokens);
  announceDisabledEngine(context);
  const links = chain.linksOf(original.messages);
  const [standing] = await Promise.all([
    untilAborted(signal, () => store.findCompaction(tenant, links)),
    untilAborted(signal, () => followThreshold(context, original)),
  ]);
  const { compaction } = standing;
  if (compaction !== undefined && compaction.covers !== state.lastCovers) adoptCompaction(state, compaction);
  const current = await ingested(context, original, compaction);
  followFixedPart(state, estimatorOf(context).measure.transcript({ ...original, messages: [] }));
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
  return buildTranscript(context, original, compaction);
}

/** What is due by itself. A person who undid a compaction is not overruled; back-off binds the engine, not hygiene. */
export function decideCompaction(
  context: SessionContext,
  view: ConversationView,
): ScheduledDecision | Promise<ScheduledDecision> {
  const { options, state } = context;
  const { current, standing, tokens } = view;
  const { thresholdTokens, hygieneTokens, usableTokens, fixedTokens, never } = state.limits;
  if (options.enabled === false || never) return { kind: "none" };
  if (standing.undone) return tokens < thresholdTokens ? { kind: "none" } : { kind: "wait", because: UNDONE };
  // What does not fit would be refused for certain, however few its messages.
  if (tokens > usableTokens) return unlessResting(context, view, HYGIENE);
  const messages = current.messages.length;
  const isFull = tokens >= hygieneTokens && messages >= HYGIENE_MESSAGES_MIN;
  const settle = (decision: Decision): ScheduledDecision => {
    const due = isFull ? atTheLatest(context, decision) : decision;
    return unlessResting(context, view, tokens < latestOf(context) ? withPriceVerdict(context, view, due) : due);
  };
  const decided = decideWithEngine(context, { tokens, messages, fixedTokens });
  return decided instanceof Promise ? decided.then(settle) : settle(decided);
}

const UNDONE = "the last compaction was undone: only an overflow or an explicit call compacts now";
const HYGIENE: Decision = Object.freeze({ kind: "compact", reason: "hygiene", urgency: "now" });
const PATIENT_HYGIENE: Decision = Object.freeze({ ...HYGIENE, urgency: "soon" });

/**
 * What prices put off, and what an engine wants at this very moment, has time for a model to write; what an engine does not
 * want waits for nobody.
 */
function atTheLatest({ state }: SessionContext, decision: Decision): Decision {
  const { thresholdTokens, hygieneTokens } = state.limits;
  if (decision.kind !== "compact") return HYGIENE;
  if (thresholdTokens >= hygieneTokens) return decision;
  return state.postponed?.by === "prices" ? PATIENT_HYGIENE : HYGIENE;
}

/** Nothing is compacted again before enough has come; where the last attempt came to nothing, that is why. */
function unlessResting(
  context: SessionContext,
  view: ConversationView,
  decision: ScheduledDecision,
): ScheduledDecision {
  if (decision.kind !== "compact" || !isResting(context, view)) return decision;
  const { state } = context;
  return state.futile === undefined ? { kind: "none" } : { kind: "none", because: littleRoom(state) };
}

function buildTranscript(
  { ingest }: SessionContext,
  original: Transcript,
  compaction: Compaction | undefined,
): Transcript {
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
  const transcript = compaction === undefined ? view.current : buildTranscript(context, view.original, compaction);
  const tokens = compaction === undefined ? view.tokens : contextUsage.tokensOf(transcript, estimator);
  const begins = transcript.messages.every(({ role }) => role !== "assistant");
  const isNew = compaction !== undefined || begins || hasExpired(context);
  const sent = contextUsage.sent(transcript, { estimator, isNew });
  const stands = compaction ?? view.standing.compaction;
  state.tokens = tokens;
  state.removedIds = stands?.evicted.map(({ id }) => id) ?? [];
  state.sentAtMs = (context.options.now ?? Date.now)();
  const { pressureTokens } = state.limits;
  const pressed = tokens >= pressureTokens && !state.limits.never && context.options.enabled !== false;
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
    lostRequests: compacted ? missingIn(stands?.report.receipt, "request") : 0,
    observe: (usage) => observe(context, usage, sent),
    ...(irreducible === undefined ? {} : { irreducible }),
    ...(compaction === undefined ? {} : { compaction, dueTokens: view.tokens }),
  };
}

/** One that prices put off is made when the window itself comes near. */
const PRESSED_SHARE = 0.85;

function isWorthCompactingAhead(context: SessionContext, view: ConversationView): boolean {
  const { state } = context;
  const { standing, tokens } = view;
  if (standing.undone || state.ahead !== undefined || isResting(context, view)) return false;
  return tokens >= latestOf(context) * PRESSED_SHARE || !isPostponed(context, view);
}

/** Nobody asked for these, and no provider refused anything. */
const BY_ITSELF: ReadonlySet<CompactionReason> = new Set(["threshold", "hygiene", "cost"]);
/** From this share of the usable window on, it is the fixed part that leaves too little room. */
const FIXED_SHARE_LARGE = 0.4;

/** How many tokens it has to free; undefined where any will do, because a provider refused the request or a person asked. */
export function freesTokensMin(
  { state: { limits } }: SessionContext,
  { tokens }: ConversationView,
  reason: CompactionReason,
): number | undefined {
  if (!BY_ITSELF.has(reason)) return undefined;
  // What would be refused for certain is made to fit, however little that takes.
  if (tokens > limits.usableTokens) return Math.min(limits.stepTokens, tokens - limits.usableTokens);
  // Made ahead, it has the growth up to the threshold still to come.
  const toCome = reason === "threshold" ? Math.max(0, limits.thresholdTokens - tokens) : 0;
  return Math.max(1, limits.stepTokens - toCome);
}

/** True where too little has come since the last compaction, or since the last attempt at one. */
export function isResting(context: SessionContext, view: ConversationView): boolean {
  const { futile, limits } = context.state;
  const { original, standing, tokens } = view;
  const grown = (since: number): boolean =>
    since > original.messages.length ||
    estimatorOf(context).measure.messages(original.messages.slice(since)) >= limits.stepTokens;
  if (futile !== undefined && !grown(futile.messages)) return true;
  const last = standing.compaction?.report;
  if (last === undefined || !BY_ITSELF.has(last.reason) || grown(last.messages.before)) return false;
  // What fitted after the last one and does not fit now has no other way to be sent.
  return tokens <= limits.usableTokens || last.tokens.after > limits.usableTokens;
}

/** Why a compaction would come to nothing, and what helps, for the person who runs the agent. */
export function littleRoom({ limits, settings }: SessionContext["state"]): string {
  const { fixedTokens, usableTokens, stepTokens } = limits;
  const free = `a compaction would free less than ${shown(stepTokens)} tokens, so none is made until as much has been added`;
  if (fixedTokens < usableTokens * FIXED_SHARE_LARGE)
    return `the newest messages take most of the room: ${free}. Start a fresh session, or compact with a focus`;
  const share = Math.round((fixedTokens / settings.contextLength) * 100);
  return (
    `system prompt and tools take ${shown(fixedTokens)} tokens, ${share} % of the window of ${shown(settings.contextLength)}: ` +
    `${free}. Use fewer tools, a client with tool search, or a model with a larger window`
  );
}

function shown(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

/** What leaves a conversation; nothing of a protected message does. */
type Choose = (transcript: Transcript, isProtected: (at: number) => boolean) => ReadonlySet<Part>;

/**
 * The compaction, or one in place of none, without the media that the provider is known to refuse; the same where nothing
 * has to leave.
 */
export function withinMediaLimits(
  context: SessionContext,
  original: Transcript,
  compaction: Compaction | undefined,
): Compaction | undefined {
  const protocol = original.messages.find(({ wire }) => wire !== undefined)?.wire?.protocol;
  const definition = Object.values(definitions).find(({ dialect }) => dialect.name === protocol);
  const limits = definition?.mediaLimits?.(original.model, context.state.settings.contextLength);
  return without(context, { original, compaction }, (transcript, isProtected) =>
    limits === undefined ? NONE : mediaBeyond(transcript, limits, isProtected),
  );
}

const NONE: ReadonlySet<Part> = new Set();

/** After a refusal: all but what the newest exchange shows, or that as well where nothing else is left; undefined without any. */
export function withoutMedia(
  context: SessionContext,
  { original, standing }: ConversationView,
): Compaction | undefined {
  const { compaction } = standing;
  const lighter = without(context, { original, compaction }, ({ messages }, isProtected) => {
    const last = exchangesOf(messages).at(-1)?.start ?? 0;
    const free = messages.map((message, at) => (isProtected(at) ? [] : mediaIn(message)));
    const earlier = free.slice(0, last).flat();
    return new Set(earlier.length > 0 ? earlier : free.flat());
  });
  return lighter === compaction ? undefined : lighter;
}

interface Lightening {
  readonly original: Transcript;
  readonly compaction: Compaction | undefined;
}

function without(
  context: SessionContext,
  { original, compaction }: Lightening,
  choose: Choose,
): Compaction | undefined {
  const rewritten = compaction === undefined ? original : applyCompaction(original, compaction);
  const protect = (at: number): boolean => context.keepsRequests && byPerson(rewritten.messages[at]!);
  const leaving = choose(rewritten, protect);
  const estimator = estimatorOf(context);
  const passing = { measure: estimator.measure, hash: estimator.chain.hash, protect, focus: [] };
  const { messages: left, evicted } =
    leaving.size === 0
      ? { messages: rewritten.messages, evicted: [] }
      : evictMediaWhere((part) => leaving.has(part))(rewritten.messages, passing);
  const { messages } = repairText(left, passing);
  if (messages === rewritten.messages) return compaction;
  const { engine, engineState: state } = context.state;
  const standing =
    compaction ?? emptyCompaction(original, { engine: engine.name, reason: "payload", state }, estimator);
  const originOf = originsIn(standing);
  const lighter = amend(standing, original, {
    edits: listEdits(rewritten.messages, messages),
    // The live request that was repeated is where the request is.
    evicted: evicted.map((one) => ({ ...one, message: originOf(one.message) ?? 0 })),
    estimator,
  });
  return lighter === standing ? compaction : lighter;
}

function listEdits(before: readonly Message[], after: readonly Message[]): ReadonlyMap<number, Message> {
  return new Map(after.flatMap((message, at) => (message === before[at] ? [] : [[at, message] as const])));
}
