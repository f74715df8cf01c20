/**
 * Whether a compaction that is due is worth making: it has to free a step of the room beside system prompt and tools, and
 * none is made again before the conversation has grown by as much. Otherwise a session would pay for one with every request.
 */
import type { CompactionReason } from "../core/compaction/compaction.ts";
import { estimatorOf, type ConversationView, type SessionContext } from "./context.ts";

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
