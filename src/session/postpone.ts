/** Says where a session compacts, keeps why a compaction that is due waits, and tells the host once of each reason. */
import type { ConversationView, SessionContext } from "./context.ts";
import type { SessionEvents } from "./events.ts";
import type { CompactionTiming, Postponement } from "./timing.ts";

export function timingOf({ state, options }: Pick<SessionContext, "state" | "options">): CompactionTiming {
  const { thresholdTokens, hygieneTokens } = state.limits;
  const { postponed } = state;
  const set = state.settings.sessionThreshold;
  const never = options.enabled === false || postponed?.by === "undone";
  const waits = postponed !== undefined || options.economy?.()?.schedule === "cost";
  return {
    thresholdTokens,
    ...(set === undefined ? {} : { set }),
    ...(never ? {} : { compactsAtTokens: waits ? hygieneTokens : Math.min(thresholdTokens, hygieneTokens) }),
    ...(postponed === undefined ? {} : { postponed }),
  };
}

/** What was decided last: `undefined` where nothing waits. The host hears once of each reason. */
export function postpone(
  context: SessionContext,
  { tokens }: ConversationView,
  postponed: Postponement | undefined,
): void {
  const { state, events } = context;
  const isNew = postponed !== undefined && postponed.by !== state.postponed?.by;
  state.postponed = postponed;
  if (!isNew) return;
  const event: SessionEvents["postponed"] = { ...postponed, ...timingOf(context), tokens };
  events.emit("postponed", event);
}
