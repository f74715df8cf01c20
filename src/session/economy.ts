/** What prices say of a decision where the schedule is `cost`: which compactions wait, and which come before the threshold. */
import { atLeastCost, type ScheduleQuery, type ScheduleDecision } from "../core/caching/schedule.ts";
import type { Decision } from "../core/engines/contract.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Economy } from "./contract.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";

/** `wait`: a compaction is due and waits; `because` says for what. */
export type ScheduledDecision =
  | Decision
  | { readonly kind: "wait"; readonly because: string }
  /** The compaction that was made before the cache expired is put in place; none is made for it. */
  | { readonly kind: "use-prepared"; readonly because: string };

/** For the report of a compaction that prices would have put off, had the cache been read. */
const NOTHING_READ = "the provider read nothing of the last request from its cache, so waiting saves nothing";

const EXPIRED = "nothing is cached any more";

/** The engine's decision as the schedule leaves it. An engine that rests is not overruled. */
export function withPriceVerdict(
  context: SessionContext,
  view: ConversationView,
  decision: Decision,
): ScheduledDecision {
  const economy = context.options.economy?.();
  const { ahead, waitsForExpiry } = context.state;
  if (ahead !== undefined && waitsForExpiry && economy !== undefined && hasExpired(context, economy))
    return { kind: "use-prepared", because: ahead.report.because ?? EXPIRED };
  const rests = decision.kind === "none" && decision.because !== undefined;
  if (economy?.schedule !== "cost" || rests) return decision;
  const { compact, because } = verdictOn(context, view, economy);
  if (compact) return { kind: "compact", reason: "cost", urgency: "soon", because };
  if (decision.kind === "none") return decision;
  return context.state.nothingRead ? { ...decision, because: NOTHING_READ } : { kind: "wait", because };
}

/** Whether a compaction at the threshold would be put off for its price. */
export function isPostponed(context: SessionContext, view: ConversationView): boolean {
  const economy = context.options.economy?.();
  if (economy?.schedule !== "cost" || context.state.nothingRead) return false;
  return !verdictOn(context, view, economy).compact;
}

function verdictOn(context: SessionContext, view: ConversationView, economy: Economy): ScheduleDecision {
  return atLeastCost(occasionOf(context, view, economy));
}

function occasionOf(
  context: SessionContext,
  { original, current, standing, tokens }: ConversationView,
  economy: Economy,
): ScheduleQuery {
  const { measure } = estimatorOf(context);
  const turns = original.messages.filter(({ role }) => role === "assistant").length;
  return {
    prices: economy.prices,
    transcript: current,
    measure,
    tokens,
    stableTokens: stableTokensOf(context, current),
    afterTokens: expectedAfter(context, { current }),
    cold: turns === 0 || hasExpired(context, economy),
    compacted: standing.compaction !== undefined,
    turns,
  };
}

/** What a compaction is expected to leave. */
export function expectedAfter(context: SessionContext, { current }: Pick<ConversationView, "current">): number {
  const { engine, limits } = context.state;
  const { targetTokens = 0 } = engine;
  return Math.max(targetTokens, stableTokensOf(context, current) + limits.tailTokens + limits.handoffTokensMax);
}

function stableTokensOf(context: SessionContext, current: Transcript): number {
  const messages = headOf(current, context.state.settings.protectFirstN);
  return estimatorOf(context).measure.transcript({ ...current, messages });
}

/** Nothing was sent for longer than the cache lives. */
function hasExpired({ state, options: { now = Date.now } }: SessionContext, { ttlMs }: Economy): boolean {
  return state.sentAtMs !== undefined && now() - state.sentAtMs > ttlMs;
}

/** What a compaction leaves as it is: what comes before the handoff, or before where one would are. */
function headOf({ messages }: Transcript, headMessages: number): Transcript["messages"] {
  const handoff = messages.findIndex(({ origin }) => origin === "summary");
  return messages.slice(0, handoff < 0 ? headMessages : handoff);
}
