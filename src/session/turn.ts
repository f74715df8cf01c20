/** The steps of a turn: see what stands, decide what is due, compact, record, and settle on what to send. */
import {
  applyCompaction,
  type Compaction,
  type CompactionReason,
  type Irreducible,
} from "../core/compaction/compaction.ts";
import { reachTo } from "../core/compaction/reach.ts";
import type { WindowLimits } from "../core/engines/window.ts";
import { PrecisError } from "../core/errors.ts";
import type { CompactRequest, Decision, Outcome } from "../core/engines/contract.ts";
import type { Writer, Writers } from "../core/handoff/model/writer.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { reportedUsage, type ReportedUsage } from "../protocols/index.ts";
import { learnFactor, plausibleTokens } from "./calibration.ts";
import type { CompactOptions, Prepared, RuntimeOptions, WaitingForMain } from "./contract.ts";
import { benchOf, type Desk, type View } from "./desk.ts";
import { asPriced, isPutOff } from "./economy.ts";
import { goneResults } from "./gone-results.ts";
import { announce, compactBy, decideBy, observeBy } from "./guest.ts";
import { resume } from "./live.ts";
import { originalsOf } from "./originals.ts";
import { withinTime } from "./remote.ts";
import { forgetContradicted } from "./refusals.ts";
import type { Sent } from "./situation.ts";
import { tried } from "./tried.ts";
import { untilAborted } from "./until-aborted.ts";
import { afterReply, afterSummary, HANDOFF_WAIT_MS, SESSION_SPEND_LIMIT, writersFor } from "./summarizer.ts";

/** Hygiene leaves conversations of fewer messages alone (Hermes Agent docs). */
const HYGIENE_MESSAGES_MIN = 4;

/** What was asked for, and who may write it. */
export interface CompactCall extends CompactOptions, WaitingForMain {
  /** Models may be asked; hygiene never waits for one. Default true. */
  readonly models?: boolean;
}

export async function look(desk: Desk, original: Transcript, signal?: AbortSignal): Promise<View> {
  const { store, tenant, chain, live, situation } = desk;
  signal?.throwIfAborted();
  announce(desk);
  const links = chain.linksOf(original.messages);
  const standing = await untilAborted(signal, () => store.findCompaction(tenant, links));
  const { compaction } = standing;
  if (compaction !== undefined && compaction.covers !== live.lastCovers) resume(live, compaction);
  const current = await ingested(desk, original, compaction);
  return { original, current, standing, tokens: situation.tokensOf(current, benchOf(desk)) };
}

/** With large results digested, where that is wanted. Originals are kept first: nothing leaves that cannot be recalled. */
async function ingested(desk: Desk, original: Transcript, compaction: Compaction | undefined): Promise<Transcript> {
  const { ingest, kept, store, tenant } = desk;
  if (ingest === undefined) return compaction === undefined ? original : applyCompaction(original, compaction);
  const leaving = ingest(original.messages).evicted.filter(({ id }) => !kept.has(id));
  if (leaving.length > 0) {
    const originals = leaving.map(({ id, kind, label, original: text = "" }) => ({ id, kind, label, text }));
    await store.putOriginals(tenant, originals);
    for (const { id } of leaving) kept.add(id);
  }
  return replaced(desk, original, compaction);
}

/** What is due by itself. A person who undid a compaction is not overruled; back-off binds the engine, not hygiene. */
export function due(desk: Desk, view: View): Decision | Promise<Decision> {
  const { options, live } = desk;
  const { current, standing, tokens } = view;
  if (options.enabled === false || standing.undone) return { kind: "none" };
  const messages = current.messages.length;
  const { hygieneTokens, usableTokens } = live.limits;
  // What does not fit would be refused for certain, however few its messages.
  if (tokens > usableTokens || (tokens >= hygieneTokens && messages >= HYGIENE_MESSAGES_MIN))
    return { kind: "compact", reason: "hygiene", urgency: "now" };
  const decided = decideBy(desk, { tokens, messages });
  if (decided instanceof Promise) return decided.then((decision) => asPriced(desk, view, decision));
  return asPriced(desk, view, decided);
}

export async function compact(desk: Desk, view: View, request: CompactCall): Promise<Outcome> {
  const outcome = await make(desk, view, request);
  if (outcome.kind === "unchanged") return outcome;
  return { kind: "compacted", compaction: await record(desk, view, outcome.compaction, request.signal) };
}

/** Has the engine make a compaction, and learns from the attempt; nothing is recorded. */
export async function make(desk: Desk, view: View, request: CompactCall): Promise<Outcome> {
  const { live, options, events } = desk;
  const { signal } = request;
  await untilAborted(signal, () => options.hooks?.beforeCompact?.(view.original.messages));
  const { force: _, models = true, main = options.writers?.main, reason = "explicit", because, ...rest } = request;
  const standing = view.current === view.original ? {} : { standing: view.current };
  // Hygiene guards the window and waits on no model.
  const waits = models && reason !== "hygiene";
  const asked: CompactRequest = {
    ...benchOf(desk),
    ...rest,
    ...standing,
    ...(waits && (main ?? options.writers) !== undefined ? { writers: writersOf(desk, main) } : {}),
    ...(waits && options.remote !== undefined ? { remote: withinTime(options.remote, waitMsOf(options)) } : {}),
    ...(options.secrets === undefined ? {} : { secrets: options.secrets }),
    ...(options.readFile === undefined ? {} : { readFile: options.readFile }),
    now: timeOf(options),
    reason,
  };
  const run = (one: CompactRequest): Promise<Outcome> => compactBy(desk, view.original, one);
  const limitTokens = asked.budget ?? limitFor(reason, live.limits);
  const keeping = { original: view.original, request: asked, limitTokens, compact: run };
  const outcome = await untilAborted(signal, () => desk.keepRequests?.(keeping) ?? run(asked));
  learnFrom(desk, outcome);
  if (outcome.kind === "compacted") {
    const made = because === undefined ? outcome.compaction : explained(outcome.compaction, because);
    const amended = options.amend?.(made, view.original, benchOf(desk)) ?? made;
    // The longest prefix with a record is what stands: one that reaches less far than the last would never be found.
    const least = (view.standing.compaction?.covered ?? 0) + 1;
    return { kind: "compacted", compaction: reachTo(amended, least, view.original, desk.chain) };
  }
  if (outcome.state !== undefined) live.engineState = outcome.state;
  if (outcome.irreducible !== undefined) events.emit("irreducible", outcome.irreducible);
  return outcome;
}

/** Above this a result that keeps every request would be no use: it would be compacted again, or refused, at once. */
function limitFor(reason: CompactionReason, { thresholdTokens, hygieneTokens, usableTokens }: WindowLimits): number {
  if (reason === "overflow" || reason === "payload") return usableTokens;
  return reason === "hygiene" ? hygieneTokens : thresholdTokens;
}

/** The same, with what spoke for its moment in its report. */
export function explained(compaction: Compaction, because: string): Compaction {
  return { ...compaction, report: { ...compaction.report, because } };
}

function writersOf({ options, live }: Desk, main: Writer | undefined): Writers {
  return writersFor({
    writers: { auto: false, resting: [], ...options.writers, ...(main === undefined ? {} : { main }) },
    state: live.summarizer,
    limit: { ...SESSION_SPEND_LIMIT, ...options.spendLimit },
    now: timeOf(options),
    waitMs: waitMsOf(options),
    spent: (reply) => {
      live.summarizer = afterReply(live.summarizer, reply);
    },
  });
}

function learnFrom({ options, live }: Desk, outcome: Outcome): void {
  const summary = outcome.kind === "compacted" ? outcome.compaction.report.summary : undefined;
  if (summary !== undefined) live.summarizer = afterSummary(live.summarizer, summary, timeOf(options));
}

function waitMsOf({ handoffWaitMs = HANDOFF_WAIT_MS }: RuntimeOptions): number {
  return handoffWaitMs;
}

function timeOf({ now = Date.now }: RuntimeOptions): number {
  return now();
}

/** Keeps a compaction and answers with the one that stands: another may have been first. */
export async function record(desk: Desk, view: View, made: Compaction, signal?: AbortSignal): Promise<Compaction> {
  const { store, tenant, live, events, situation, options, chain } = desk;
  // Originals alone change nothing; from the record on there is no way back, and no abort is heard.
  await untilAborted(signal, () => store.putOriginals(tenant, originalsOf(made, view.original)));
  // For the very same conversation, the one it was made upon gives way; whoever came first otherwise stays.
  if (view.standing.compaction?.covers === made.covers) await store.undoCompaction(tenant, made.covers);
  const compaction = await store.putCompaction(tenant, made);
  const { report } = compaction;
  situation.forget();
  resume(live, compaction);
  live.compactions++;
  live.savedTokens += report.tokens.before - report.tokens.after;
  live.last = report;
  events.emit("compacted", { compaction });
  if (report.degraded.length > 0) events.emit("degraded", { because: report.degraded, report });
  if (report.irreducible !== undefined) events.emit("irreducible", report.irreducible);
  const after = applyCompaction(view.original, compaction);
  await options.hooks?.afterCompact?.(compaction, {
    noLongerVisible: goneResults(view.original.messages, compaction),
    parent: chain.linksOf(view.current.messages).at(-1) ?? "",
    child: chain.linksOf(after.messages).at(-1) ?? "",
  });
  return compaction;
}

function replaced({ ingest }: Desk, original: Transcript, compaction: Compaction | undefined): Transcript {
  const applied = compaction === undefined ? original : applyCompaction(original, compaction);
  const messages = ingest?.(applied.messages).messages ?? applied.messages;
  return messages === applied.messages ? applied : { ...applied, messages };
}

/** What came of a compaction that was due. */
interface Settling {
  readonly compaction?: Compaction;
  readonly irreducible?: Irreducible | undefined;
}

/** What to send, counted; the operator hears once when the threshold comes near. */
export function settle(desk: Desk, view: View, outcome: Settling = {}): Prepared {
  const { compaction, irreducible } = outcome;
  const { live, events, situation } = desk;
  const bench = benchOf(desk);
  const transcript = compaction === undefined ? view.current : replaced(desk, view.original, compaction);
  const tokens = compaction === undefined ? view.tokens : situation.tokensOf(transcript, bench);
  const sent = situation.sent(transcript, bench);
  const stands = compaction ?? view.standing.compaction;
  live.tokens = tokens;
  live.removedIds = stands?.evicted.map(({ id }) => id) ?? [];
  live.sentAtMs = timeOf(desk.options);
  const { pressureTokens, thresholdTokens } = live.limits;
  const pressed = tokens >= pressureTokens;
  if (pressed && !live.pressed) events.emit("pressure", { tokens, pressureTokens, thresholdTokens });
  live.pressed = pressed;
  const compacted = transcript !== view.original;
  return {
    transcript: desk.outgoing(transcript),
    tokens,
    before: compacted ? bench.measure.transcript(view.original) : tokens,
    compacted,
    recallable: stands !== undefined,
    fits: tokens <= live.limits.usableTokens,
    soon: compaction === undefined && pressed && worthMakingAhead(desk, view),
    lostRequests: compacted ? lostRequestsIn(stands) : 0,
    observe: (usage) => observe(desk, usage, sent),
    ...(irreducible === undefined ? {} : { irreducible }),
    ...(compaction === undefined ? {} : { compaction }),
  };
}

function lostRequestsIn(compaction: Compaction | undefined): number {
  return compaction?.report.lost.requests.absent ?? 0;
}

/** One that prices put off is made when the window itself comes near. */
const PRESSED_SHARE = 0.85;
/** An attempt that came to nothing is not made again until the conversation has grown by as much. */
const GROWN_SINCE_FUTILE = 1.1;

function worthMakingAhead(desk: Desk, view: View): boolean {
  const { live } = desk;
  const { standing, tokens } = view;
  if (standing.undone || live.ahead !== undefined || tokens <= live.futileAheadTokens * GROWN_SINCE_FUTILE)
    return false;
  return tokens >= live.limits.hygieneTokens * PRESSED_SHARE || !isPutOff(desk, view);
}

/**
 * The usage reported for what was sent; for the newest where it is not said.
 *
 * @throws PrecisError `bad_usage` for what is not a usage object; the session is then as it was.
 */
export function observe(desk: Desk, reported: ReportedUsage, about?: Sent): void {
  const { live, situation, estimate } = desk;
  const usage = tried(() => reportedUsage(reported));
  if (usage === undefined) throw badUsage(reported);
  observeBy(desk, usage);
  forgetContradicted(desk, usage);
  const sent = situation.newestOr(about);
  if (sent === undefined) return;
  const estimated = estimate.transcript(sent.transcript);
  situation.reported(plausibleTokens(usage.input, estimated), sent);
  live.factor = learnFactor(live.factor, usage.input, estimated);
}

function badUsage(reported: unknown): PrecisError {
  const isObject = typeof reported === "object" && reported !== null;
  const keys = (isObject ? tried(() => Object.keys(reported).slice(0, SHOWN_KEYS_MAX)) : undefined) ?? [];
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
