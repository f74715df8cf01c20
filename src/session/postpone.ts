/** Says where a session compacts, keeps why a compaction that is due waits, and tells the host once of each reason. */
import type { ConversationView, SessionContext } from "./context.ts";
import { latestOf, scheduleOf } from "./economy.ts";
import type { SessionEvents } from "./events.ts";
import type { CompactionTiming, Postponement } from "./timing.ts";

export function timingOf(context: SessionContext): CompactionTiming {
  const { state, options } = context;
  const { thresholdTokens, hygieneTokens } = state.limits;
  const { postponed } = state;
  const set = state.settings.sessionThreshold;
  const never = options.enabled === false || state.limits.never || postponed?.by === "undone";
  const waits = postponed !== undefined || scheduleOf(context) !== "threshold";
  return {
    thresholdTokens,
    ...(set === undefined ? {} : { set }),
    ...(never ? {} : { compactsAtTokens: waits ? latestOf(context) : Math.min(thresholdTokens, hygieneTokens) }),
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
  const isSaid = postponed?.by === "back_off" ? state.saidBackOff : postponed?.by === state.postponed?.by;
  state.postponed = postponed;
  if (postponed === undefined || isSaid) return;
  if (postponed.by === "back_off") state.saidBackOff = true;
  const event: SessionEvents["postponed"] = { ...postponed, ...timingOf(context), tokens };
  events.emit("postponed", event);
  if (postponed.by === "back_off") events.emit("degraded", { because: [postponed.because] });
}
