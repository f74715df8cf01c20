/** What prices say of a decision: which compactions they put off, and which they bring forward. */
import { atLeastCost, atThreshold, type Occasion, type Verdict } from "../core/caching/schedule.ts";
import type { Decision } from "../core/engines/contract.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Economy } from "./contract.ts";
import { estimatorOf, type SessionContext, type ConversationView } from "./context.ts";

/** The engine's decision as prices leave it. What back-off forbids stays forbidden, and so does all that hurries. */
export function withPriceVerdict(context: SessionContext, view: ConversationView, decision: Decision): Decision {
  const economy = context.options.economy?.();
  const rests = decision.kind === "none" && decision.because !== undefined;
  if (economy === undefined || rests) return decision;
  if (decision.kind === "none" && economy.schedule === "threshold") return decision;
  const { compact, because } = verdictOn(context, view, economy);
  if (!compact) return { kind: "none" };
  const reason = economy.schedule === "cost" ? "cost" : "threshold";
  return { kind: "compact", reason, urgency: "soon", because };
}

/** Whether a compaction at the threshold would be put off for its price. */
export function isPostponed(context: SessionContext, view: ConversationView): boolean {
  const economy = context.options.economy?.();
  return economy !== undefined && !verdictOn(context, view, economy).compact;
}

function verdictOn(context: SessionContext, view: ConversationView, economy: Economy): Verdict {
  const occasion = occasionOf(context, view, economy);
  return economy.schedule === "cost" ? atLeastCost(occasion) : atThreshold(occasion);
}

function occasionOf(
  context: SessionContext,
  { original, current, standing, tokens }: ConversationView,
  economy: Economy,
): Occasion {
  const { state, options } = context;
  const { measure } = estimatorOf(context);
  const { now = Date.now } = options;
  const stableTokens = measure.transcript({ ...current, messages: headOf(current, state.settings.protectFirstN) });
  const { tailTokens, summaryTokensMax } = state.limits;
  const { targetTokens = 0 } = state.engine;
  const turns = original.messages.filter(({ role }) => role === "assistant").length;
  return {
    prices: economy.prices,
    transcript: current,
    measure,
    tokens,
    stableTokens,
    afterTokens: Math.max(targetTokens, stableTokens + tailTokens + summaryTokensMax),
    cold: turns === 0 || (state.sentAtMs !== undefined && now() - state.sentAtMs > economy.ttlMs),
    compacted: standing.compaction !== undefined,
    turns,
  };
}

/** What a compaction leaves as it is: what stands before the handoff, or before where one would stand. */
function headOf({ messages }: Transcript, headMessages: number): Transcript["messages"] {
  const handoff = messages.findIndex(({ origin }) => origin === "summary");
  return messages.slice(0, handoff < 0 ? headMessages : handoff);
}
