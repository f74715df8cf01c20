/** What a provider reported of a request teaches the session how large its conversation is. */
import { PrecisError } from "../core/errors.ts";
import { reportedUsage, type ReportedUsage } from "../protocols/index.ts";
import { initialFactor, learnFactor, plausibleTokens } from "./state.ts";
import type { SessionContext, SentRequest } from "./context.ts";
import { observeWithEngine } from "./external-engine.ts";
import { forgetRefuted } from "./learn-window.ts";
import { readSafely } from "./read-safely.ts";

/**
 * The usage reported for what was sent; for the newest where it is not said.
 *
 * @throws PrecisError `bad_usage` for what is not a usage object; the session is then as it was.
 */
export function observe(context: SessionContext, reported: ReportedUsage, about?: SentRequest): void {
  const { state, contextUsage, estimate } = context;
  const usage = readSafely(() => reportedUsage(reported));
  if (usage === undefined) throw badUsage(reported);
  observeWithEngine(context, usage);
  const sent = contextUsage.newestOr(about);
  forgetRefuted(context, usage, sent?.transcript.maxOutputTokens ?? 0);
  if (sent === undefined) return;
  const estimated = estimate.transcript(sent.transcript);
  const isCurrent = contextUsage.reported(plausibleTokens(usage.input, estimated), sent);
  if (isCurrent && !sent.isNew) state.nothingRead = usage.cacheRead === 0;
  // A first count is better than what was assumed.
  const isAssumed = state.factor === initialFactor(state.model);
  state.factor = learnFactor(state.factor, usage.input, estimated, isAssumed ? 1 : undefined);
}

function badUsage(reported: unknown): PrecisError {
  const isObject = typeof reported === "object" && reported !== null;
  const keys = (isObject ? readSafely(() => Object.keys(reported).slice(0, SHOWN_KEYS_MAX)) : undefined) ?? [];
  const what =
    keys.length === 0
      ? `it is ${reported === null ? "null" : typeof reported}`
      : `it has ${keys.map((key) => shownCount(reported, key)).join(", ")}`;
  return new PrecisError(`The reported usage has no count of input tokens: ${what}.`, {
    code: "bad_usage",
    place: "usage",
    hint:
      "Pass the provider's usage object with `prompt_tokens`, `input_tokens` or `inputTokens`, or `{ input, output }`, " +
      "each a number of tokens. Leave the call out when the provider reports none.",
  });
}

const SHOWN_KEYS_MAX = 8;

/** With its value where that is a number: `NaN` is why a count is none. */
function shownCount(reported: unknown, key: string): string {
  const value = readSafely(() => (reported as Readonly<Record<string, unknown>>)[key]);
  return typeof value === "number" ? `${key} (${value})` : key;
}
