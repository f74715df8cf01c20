/** What prices say of a decision: which compactions they put off, and which they bring forward. */
import { atLeastCost, atThreshold, type Occasion, type Verdict } from "../core/caching/schedule.ts";
import type { Decision } from "../core/engines/contract.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Economy } from "./contract.ts";
import { benchOf, type Desk, type View } from "./desk.ts";

/** The engine's decision as prices leave it. What back-off forbids stays forbidden, and so does all that hurries. */
export function asPriced(desk: Desk, view: View, decision: Decision): Decision {
  const economy = desk.options.economy?.();
  const rests = decision.kind === "none" && decision.because !== undefined;
  if (economy === undefined || rests) return decision;
  if (decision.kind === "none" && economy.schedule === "threshold") return decision;
  const { compact, because } = verdictOn(desk, view, economy);
  if (!compact) return { kind: "none" };
  const reason = economy.schedule === "cost" ? "cost" : "threshold";
  return { kind: "compact", reason, urgency: "soon", because };
}

/** Whether a compaction at the threshold would be put off for its price. */
export function isPutOff(desk: Desk, view: View): boolean {
  const economy = desk.options.economy?.();
  return economy !== undefined && !verdictOn(desk, view, economy).compact;
}

function verdictOn(desk: Desk, view: View, economy: Economy): Verdict {
  const occasion = occasionOf(desk, view, economy);
  return economy.schedule === "cost" ? atLeastCost(occasion) : atThreshold(occasion);
}

function occasionOf(desk: Desk, { original, current, standing, tokens }: View, economy: Economy): Occasion {
  const { live, options } = desk;
  const { measure } = benchOf(desk);
  const { now = Date.now } = options;
  const stableTokens = measure.transcript({ ...current, messages: headOf(current, live.settings.protectFirstN) });
  const { tailTokens, summaryTokensMax } = live.limits;
  const { targetTokens = 0 } = live.engine;
  const turns = original.messages.filter(({ role }) => role === "assistant").length;
  return {
    prices: economy.prices,
    transcript: current,
    measure,
    tokens,
    stableTokens,
    afterTokens: Math.max(targetTokens, stableTokens + tailTokens + summaryTokensMax),
    cold: turns === 0 || (live.sentAtMs !== undefined && now() - live.sentAtMs > economy.ttlMs),
    compacted: standing.compaction !== undefined,
    turns,
  };
}

/** What a compaction leaves as it is: what stands before the handoff, or before where one would stand. */
function headOf({ messages }: Transcript, headMessages: number): Transcript["messages"] {
  const handoff = messages.findIndex(({ origin }) => origin === "summary");
  return messages.slice(0, handoff < 0 ? headMessages : handoff);
}
