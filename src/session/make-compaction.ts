/** A compaction of a session: made by its engine, within what the session may spend, and recorded where it comes into effect. */
import {
  applyCompaction,
  type Compaction,
  type CompactionReason,
  type Irreducible,
  type Evicted,
} from "../core/compaction/compaction.ts";
import { compactEdited } from "../core/compaction/by-hand.ts";
import { declaredTokens, reachTo, withDeclarations } from "../core/compaction/revise.ts";
import { freesTooLittle } from "../core/engines/policy.ts";
import type { CompactRequest, Outcome, Remote } from "../core/engines/contract.ts";
import type { WindowLimits } from "../core/engines/window.ts";
import type { CompactOptions, RuntimeOptions, WaitingForMain } from "./contract.ts";
import { cooldownText } from "./cooldowns.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";
import { compactWithEngine } from "./external-engine.ts";
import { withinMediaLimits, freesTokensMin } from "./turn.ts";
import { pinsOf } from "./pins.ts";
import { withReceipt, removedResults } from "./receipt.ts";
import { notCompacted, withinTime } from "./responses-compaction.ts";
import { adoptCompaction } from "./state.ts";
import {
  afterReply,
  afterSummary,
  HANDOFF_WAIT_MS,
  SESSION_SPEND_LIMIT,
  withheldBy,
  writersFor,
} from "./summarizer.ts";
import { untilAborted } from "./time-limit.ts";
import type { Writer, Writers } from "../core/handoff/model/writer.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import type { Original } from "../store/store.ts";

interface CompactCall extends CompactOptions, WaitingForMain {
  /** Models may be asked. By default all but hygiene waits for them. */
  readonly models?: boolean;
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
  const { state, options } = context;
  const { signal } = request;
  await untilAborted(signal, () => options.hooks?.beforeCompact?.(view.original.messages));
  const { force: _, main = options.writers?.main, reason = "explicit", because, ...calling } = request;
  const { remote = options.remote, ...asking } = calling;
  // Hygiene guards the window and waits on no model, unless it was decided that there is time.
  const { models = reason !== "hygiene", ...rest } = asking;
  const frees = request.budget === undefined ? freesTokensMin(context, view, reason) : undefined;
  const declared = declaredTokens(view.original, estimatorOf(context));
  const standing = view.current === view.original ? {} : { standing: view.current };
  const asked: CompactRequest = {
    ...estimatorOf(context),
    ...rest,
    ...(rest.budget === undefined ? {} : { budget: Math.max(1, rest.budget - declared) }),
    ...standing,
    ...(models && (main ?? options.writers) !== undefined ? { writers: writersOf(context, { main }) } : {}),
    ...(models && remote !== undefined ? { remote: limitRemote(context, remote) } : {}),
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    ...(options.readFile === undefined ? {} : { readFile: options.readFile }),
    now: currentTime(options),
    reason,
    ...(frees === undefined ? {} : { freesTokensMin: frees }),
  };
  const { byHand = [] } = view.standing.compaction ?? {};
  const run = (one: CompactRequest): Promise<Outcome> =>
    compactEdited(view.original, byHand, one, (transcript, own) => compactWithEngine(context, transcript, own));
  const limitTokens = asked.budget ?? limitFor(reason, state.limits);
  const pins = await untilAborted(signal, () => pinsOf(context, view.original));
  const keeping = { original: view.original, request: asked, limitTokens, compact: run, pins, byHand };
  const outcome = worthMaking(await untilAborted(signal, () => context.keepMessages(keeping)), frees);
  learnFrom(context, outcome);
  if (outcome.kind === "compacted") {
    const made = because === undefined ? outcome.compaction : withReason(outcome.compaction, because);
    const estimator = estimatorOf(context);
    const own = withDeclarations(options.amend?.(made, view.original, estimator) ?? made, view.original, estimator);
    const amended = options.enabled === false ? own : (withinMediaLimits(context, view.original, own) ?? own);
    // The record of the longest prefix is in effect: one that reaches less far than the last would never be found.
    const least = (view.standing.compaction?.covered ?? 0) + 1;
    const reaching = reachTo(amended, least, view.original, context.chain);
    const compaction = withReceipt(reaching, view.original.messages, {
      pins,
      secrets: options.secrets,
      hash: context.chain.hash,
    });
    return { kind: "compacted", compaction };
  }
  if (frees !== undefined) state.futile = { messages: view.original.messages.length };
  if (outcome.state !== undefined) state.engineState = outcome.state;
  announceIrreducible(context, outcome.irreducible);
  return outcome;
}

/** The same of an engine that does not look itself whether it frees enough. */
function worthMaking(outcome: Outcome, least = 1): Outcome {
  if (outcome.kind === "unchanged") return outcome;
  const { before, after } = outcome.compaction.report.tokens;
  if (before - after >= least) return outcome;
  return { kind: "unchanged", because: freesTooLittle(before - after, least), state: outcome.compaction.state };
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
function limitRemote({ state, options, outgoing }: SessionContext, remote: Remote): Remote {
  const timed = withinTime(remote, chooseWaitMs(options));
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
  const now = currentTime(options);
  state.summarizer = afterSummary(state.summarizer, summary, now);
  for (const rest of state.summarizer.rests)
    if (!before.includes(rest)) events.emit("modelResting", { ...rest, because: cooldownText(rest, now) });
}

function chooseWaitMs({ handoffWaitMs = HANDOFF_WAIT_MS }: RuntimeOptions): number {
  return handoffWaitMs;
}

function currentTime({ now = Date.now }: RuntimeOptions): number {
  return now();
}

/** Once, until something is small enough again. */
function announceIrreducible({ state, events }: SessionContext, irreducible: Irreducible | undefined): void {
  if (irreducible !== undefined && !state.saidIrreducible) events.emit("irreducible", irreducible);
  state.saidIrreducible = irreducible !== undefined;
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
  state.futile = undefined;
  const { report } = compaction;
  // That of a call at the same time was first, and is counted.
  if (state.last === report) return compaction;
  contextUsage.forget();
  state.nothingRead = false;
  adoptCompaction(state, compaction);
  state.compactions++;
  state.savedTokens += report.tokens.before - report.tokens.after;
  state.last = report;
  events.emit("compacted", { compaction });
  if (report.degraded.length > 0) events.emit("degraded", { because: report.degraded, report });
  announceIrreducible(context, report.irreducible);
  const after = applyCompaction(view.original, compaction);
  await options.hooks?.afterCompact?.(compaction, {
    noLongerVisible: removedResults(view.original.messages, compaction),
    parent: chain.linksOf(view.current.messages).at(-1) ?? "",
    child: chain.linksOf(after.messages).at(-1) ?? "",
  });
  return compaction;
}

interface Asking {
  /** Replaces the main model in this call alone. */
  readonly main?: Writer | undefined;
  readonly waitMs?: number;
}

export function writersOf({ options, state }: SessionContext, { main, waitMs }: Asking): Writers {
  const { now = Date.now, handoffWaitMs = HANDOFF_WAIT_MS } = options;
  return writersFor({
    writers: { resting: [], ...options.writers, ...(main === undefined ? {} : { main }) },
    state: state.summarizer,
    limit: { ...SESSION_SPEND_LIMIT, ...options.spendLimit },
    now: now(),
    waitMs: waitMs ?? handoffWaitMs,
    withheld: options.sharedBudget?.withheld(),
    spent: (reply) => {
      state.summarizer = afterReply(state.summarizer, reply);
      options.sharedBudget?.spent(reply.usage.costUsd ?? 0);
    },
  });
}

/** Every removed piece with its original bytes; a span's are put together when somebody reads them. */
export function originalsOf(compaction: Compaction, transcript: Transcript): readonly Original[] {
  return compaction.evicted.map((one) => ({
    id: one.id,
    kind: one.kind,
    label: one.label,
    get text() {
      return originalText(one, transcript.messages);
    },
  }));
}

function originalText(evicted: Evicted, messages: readonly Message[]): string {
  if (evicted.kind !== "span") return evicted.original ?? "";
  return spanLines(messages.slice(evicted.message, evicted.end)).join("\n");
}

/** A wire message each, in its own bytes where it came from a body. */
function spanLines(messages: readonly Message[]): string[] {
  const lines: string[] = [];
  let last: string | undefined;
  /** Messages that came in the last line; those of another one may say the same. */
  let members = 0;
  for (const { role, parts, wire } of messages) {
    const isNext = wire === undefined || wire.raw !== last || members === wire.members.length;
    members = isNext ? 1 : members + 1;
    if (isNext) lines.push(wire?.raw ?? JSON.stringify({ role, parts }));
    last = wire?.raw;
  }
  return lines;
}
