/** What prices say of a decision, unless the schedule is `threshold`: which compactions wait, and by `cost` which come earlier. */
import {
  atLeastCost,
  countReplies,
  isJustified,
  type LastCompaction,
  type Schedule,
  type ScheduleDecision,
  type ScheduleQuery,
} from "../core/caching/schedule.ts";
import type { Compaction } from "../core/compaction/compaction.ts";
import type { Decision } from "../core/engines/contract.ts";
import { figureAt } from "../core/engines/window.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Economy } from "./contract.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";
import type { Ttl } from "../core/caching/breakpoints.ts";
import type { ModelFacts } from "../models/registry/known.ts";

/** `wait`: a compaction is due and waits; `because` says for what. */
export type ScheduledDecision = Decision | { readonly kind: "wait"; readonly because: string };

/** For the report of a compaction that prices would have put off, had the cache been read. */
const NOTHING_READ = "the provider read nothing of the last request from its cache, so waiting saves nothing";

/** `threshold` if no prices are known, or if a person set the threshold of an `auto` session. */
export function scheduleOf({ options, state }: Pick<SessionContext, "options" | "state">): Schedule {
  const { schedule = "threshold" } = options.economy?.() ?? {};
  return schedule === "auto" && state.settings.sessionThreshold !== undefined ? "threshold" : schedule;
}

/** The engine's decision as the schedule leaves it. An engine that rests is not overruled. */
export function withPriceVerdict(
  context: SessionContext,
  view: ConversationView,
  decision: Decision,
): ScheduledDecision {
  const economy = context.options.economy?.();
  const rests = decision.kind === "none" && decision.because !== undefined;
  const schedule = scheduleOf(context);
  if (economy === undefined || schedule === "threshold" || rests) return decision;
  if (decision.kind === "none" && schedule === "auto") return decision;
  const { compact, because } = verdictOn(context, view, economy);
  if (compact && schedule === "cost") return { kind: "compact", reason: "cost", urgency: "soon", because };
  if (decision.kind === "none") return decision;
  if (compact) return { ...decision, because };
  return context.state.nothingRead ? { ...decision, because: NOTHING_READ } : { kind: "wait", because };
}

/** Up to here prices have a say: nearer to the end of the window, where the provider says how full it is. */
export function latestOf(context: SessionContext): number {
  const { latestTokens, hygieneTokens } = context.state.limits;
  const mayWait = scheduleOf(context) !== "threshold" && context.contextUsage.isReported();
  return mayWait ? latestTokens : hygieneTokens;
}

/** Whether a compaction at the threshold would be put off for its price. */
export function isPostponed(context: SessionContext, view: ConversationView): boolean {
  const economy = context.options.economy?.();
  if (economy === undefined || scheduleOf(context) === "threshold" || context.state.nothingRead) return false;
  return !verdictOn(context, view, economy).compact;
}

function verdictOn(context: SessionContext, view: ConversationView, economy: Economy): ScheduleDecision {
  const query = makeQuery(context, view, economy);
  return economy.schedule === "cost" ? atLeastCost(query) : isJustified(query);
}

function makeQuery(context: SessionContext, view: ConversationView, economy: Economy): ScheduleQuery {
  const { original, current, standing, tokens } = view;
  const { prices } = economy;
  const { compaction } = standing;
  const turns = countReplies(original.messages);
  // A note that goes into the system prompt, once, changes all that comes after the tools.
  const stays = compaction !== undefined || context.state.settings.note !== "system";
  const nothing = compaction === undefined && economy.addsTool === true;
  return {
    prices,
    original,
    current,
    last: compaction === undefined ? undefined : makeLastCompaction(context, view, { ...economy, compaction }),
    measure: estimatorOf(context).measure,
    tokens,
    stableTokens: nothing ? 0 : stays ? countStable(context, current) : countToolTokens(context, current),
    afterTokens: expectedAfter(context, view),
    writingCost: writingCost(context, view, { prices }),
    cold: turns === 0 || hasExpired(context),
    turns,
  };
}

function makeLastCompaction(
  context: SessionContext,
  { original, current }: ConversationView,
  { prices, addsTool = false, compaction }: Economy & { readonly compaction: Compaction },
): LastCompaction {
  const { covered, system, report } = compaction;
  const count = original.messages.length;
  const wasFirst = addsTool && context.state.compactions <= 1;
  const originalMessages = Math.min(Math.max(report.messages.before, covered), count);
  return {
    originalMessages,
    currentMessages: current.messages.length - (count - originalMessages),
    stableTokens: wasFirst
      ? 0
      : system === undefined
        ? countStable(context, current)
        : countToolTokens(context, current),
    writingCost: (report.summary?.steps ?? []).reduce(
      (sum, { role, tokens: { input, output } }) =>
        sum + (role === "main" ? prices.read : 1) * input + prices.output * output,
      0,
    ),
  };
}

/** What a compaction is expected to leave. */
function expectedAfter(context: SessionContext, { current }: Pick<ConversationView, "current">): number {
  const { engine, limits } = context.state;
  const targetTokens = figureAt(engine.targetTokens, limits.fixedTokens) ?? 0;
  return Math.max(targetTokens, countStable(context, current) + limits.tailTokens + limits.handoffTokensMax);
}

/** Of the most that a handoff may weigh, what a model is asked to write. */
const WRITTEN_SHARE = 0.7;

/** What the model that is asked first costs: it reads the conversation, from the cache if it is asked behind it, and writes. */
function writingCost(
  { options, state }: SessionContext,
  { tokens }: ConversationView,
  { prices: { read, output } }: Pick<Economy, "prices">,
): number {
  const { writers, remote, mainAhead = false } = options;
  const main = writers?.main;
  const written = output * state.limits.handoffTokensMax * WRITTEN_SHARE;
  if (writers?.auxiliary !== undefined) return tokens + written;
  if (main === undefined ? mainAhead : (main.followsUp ?? false) !== false) return read * tokens + written;
  return main === undefined && remote === undefined ? 0 : tokens + written;
}

function countStable(context: SessionContext, current: Transcript): number {
  const messages = takeHead(current, context.state.settings.protectFirstN);
  return estimatorOf(context).measure.transcript({ ...current, messages });
}

function countToolTokens(context: SessionContext, current: Transcript): number {
  return estimatorOf(context).measure.transcript({ ...current, system: [], messages: [] });
}

/** Nothing was sent for longer than the cache lives. */
export function hasExpired({ state, options: { economy, now = Date.now } }: SessionContext): boolean {
  const ttlMs = economy?.()?.ttlMs ?? Infinity;
  return state.sentAtMs !== undefined && now() - state.sentAtMs > ttlMs;
}

/** What a compaction leaves as it is: what comes before the handoff, or before where one would are. */
function takeHead({ messages }: Transcript, headMessages: number): Transcript["messages"] {
  const handoff = messages.findIndex(({ origin }) => origin === "summary");
  return messages.slice(0, handoff < 0 ? headMessages : handoff);
}

const MINUTE_MS = 60_000;
export const TTL_MS: Readonly<Record<Ttl, number>> = { "5m": 5 * MINUTE_MS, "1h": 60 * MINUTE_MS };
/** OpenAI before gpt-5.6, where entries live 5 to 10 minutes without traffic: the shorter, so that nothing is counted on. */
export const AUTOMATIC_TTL_MS = 5 * MINUTE_MS;
/** OpenAI from gpt-5.6 on. */
export const BREAKPOINT_TTL_MS = 30 * MINUTE_MS;

interface PricedBy {
  readonly schedule: Schedule;
  /** Cached where requests mark it, for `ttl`; else by itself. */
  readonly marked: boolean;
  readonly ttl: Ttl;
}

/** Undefined where the price of reading from the cache is not known. */
export function economyFrom({ prices, cache }: ModelFacts, { schedule, marked, ttl }: PricedBy): Economy | undefined {
  if (prices?.cacheReadUsdPerMtok === undefined) return undefined;
  const { inputUsdPerMtok: input, outputUsdPerMtok: output, cacheReadUsdPerMtok: read } = prices;
  const write = (marked && ttl === "1h" ? prices.cacheWrite1hUsdPerMtok : prices.cacheWrite5mUsdPerMtok) ?? input;
  const ttlMs = marked ? TTL_MS[ttl] : cache?.markersMax === undefined ? AUTOMATIC_TTL_MS : BREAKPOINT_TTL_MS;
  return { schedule, prices: { read: read / input, write: write / input, output: output / input }, ttlMs };
}
