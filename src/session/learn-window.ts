/**
 * What a refusal teaches: a request that a provider found too large proves that its window ends below that request,
 * whether its error names the window or not. What a later answer contradicts is forgotten again.
 */
import type { Usage } from "../core/engines/contract.ts";
import type { Message, Part, Transcript } from "../core/transcript/message.ts";
import { type Overflow } from "../protocols/protocol.ts";
import { reportedUsage, type ReportedUsage } from "../protocols/index.ts";
import { WINDOW_TOKENS_MIN } from "../protocols/overflow.ts";
import { exactFactor, learnFactor, useSettings, initialFactor, plausibleTokens } from "./state.ts";
import { estimatorOf, type SessionContext, type SentRequest } from "./context.ts";
import { isRefuted, type LearnedWindow } from "./timing.ts";
import { PrecisError } from "../core/errors.ts";
import { observeWithEngine } from "./external-engine.ts";
import { readSafely } from "./provider-error.ts";

/** Where no window is named, it counts as this share of what was refused: near enough to be tried, far enough to end. */
const REFUSED_SHARE = 0.9;

/** The answer alone would fill the window: no prompt is small enough, and whoever asks has to ask for less. */
export function asksForTooMuch({ limitTokens = Infinity, outputTokens = 0 }: Overflow): boolean {
  return outputTokens >= limitTokens;
}

/**
 * `refused`: what the provider was sent. Afterwards it counts as larger than what can be used. Answers with the way back,
 * for a call that comes to nothing; what another call has learned since stays.
 */
export function learnRefusal(context: SessionContext, refused: Transcript, overflow: Overflow): () => void {
  const { state, options } = context;
  const before = { settings: state.settings, factor: state.factor, window: state.window };
  learnNow(context, refused, overflow);
  const { settings, factor, window } = state;
  return () => {
    if (state.factor === factor) state.factor = before.factor;
    if (state.window === window) state.window = before.window;
    if (state.settings === settings && settings !== before.settings) useSettings(state, options, before.settings);
  };
}

function learnNow(context: SessionContext, refused: Transcript, overflow: Overflow): void {
  if (overflow.kind === "payload" && refused.messages.some(hasMedia)) return;
  const { state, estimate, contextUsage } = context;
  const learned = {
    refusedTokens: overflow.requestedTokens ?? context.contextUsage.tokensOf(refused, estimatorOf(context)),
    countsOutput: overflow.outputTokens !== undefined,
    at: (context.options.now ?? Date.now)(),
  };
  // A window that was learned before holds again; what follows may find a smaller one.
  if (state.window.from === "learned")
    state.window = { from: "learned", learned: { ...state.window.learned, ...learned } };
  if (overflow.limitTokens !== undefined) learnWindow(context, overflow.limitTokens, { ...learned, by: "named" });
  const sentTokens = (): number => contextUsage.tokensOf(refused, estimatorOf(context));
  const fits = (): boolean => sentTokens() <= state.limits.usableTokens;
  const reserved = (): number => state.settings.contextLength - state.limits.usableTokens;
  const counted = countedTokens(overflow, reserved());
  if (counted !== undefined) {
    const estimated = estimate.transcript(refused);
    if (overflow.requestedTokens !== undefined) state.factor = learnFactor(state.factor, counted, estimated);
    // Our count was too low by more than half a correction makes good.
    if (fits()) state.factor = exactFactor(Math.max(counted, state.factor * estimated), estimated);
  }
  if (fits())
    learnWindow(context, Math.floor(sentTokens() * REFUSED_SHARE) + reserved(), {
      ...learned,
      by: "refused",
    });
}

/** Input tokens as the provider counted them, or at least that many. */
function countedTokens(
  { limitTokens, requestedTokens, outputTokens = 0 }: Overflow,
  reservedTokens: number,
): number | undefined {
  const counted = requestedTokens === undefined ? (limitTokens ?? 0) - reservedTokens : requestedTokens - outputTokens;
  return counted > 0 ? counted : undefined;
}

/** Downwards only, and never to what cannot be a window. */
function learnWindow({ state, options }: SessionContext, contextLength: number, learned: LearnedWindow): void {
  const { settings } = state;
  if (!(contextLength < settings.contextLength && contextLength >= WINDOW_TOKENS_MIN)) return;
  state.window = { from: "learned", learned };
  useSettings(state, options, { ...settings, contextLength });
}

/** An answered request that was larger than a learned window: the window is what it was said to be before. */
function forgetRefuted({ state, options }: SessionContext, { input }: Usage, outputTokens: number): void {
  const { settings, stated, window } = state;
  if (window.from !== "learned" || settings.contextLength >= stated.contextLength) return;
  const { countsOutput } = window.learned;
  if (!isRefuted({ tokens: settings.contextLength, countsOutput }, { inputTokens: input, outputTokens })) return;
  state.window = state.statedWindow;
  useSettings(state, options, { ...settings, ...stated });
}

/** A payload of media may be too large in bytes and small in tokens: it says nothing about the window. */
export function hasMedia({ parts }: Message): boolean {
  const isMedia = (part: Part): boolean =>
    part.kind === "image" || part.kind === "file" || (part.kind === "tool-result" && part.content.some(isMedia));
  return parts.some(isMedia);
}

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
