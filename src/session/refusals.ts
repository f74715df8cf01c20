/**
 * What a refusal teaches: a request that a provider found too large proves that its window ends below that request,
 * whether its error names the window or not. What a later answer contradicts is forgotten again.
 */
import type { Usage } from "../core/engines/contract.ts";
import type { Message, Part, Transcript } from "../core/transcript/message.ts";
import type { Overflow } from "../protocols/index.ts";
import { WINDOW_TOKENS_MIN } from "../protocols/overflow.ts";
import { exactFactor, learnFactor } from "./calibration.ts";
import { benchOf, type Desk } from "./desk.ts";
import { RESERVE_SHARE_MAX, useSettings } from "./live.ts";

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
export function learnRefusal(desk: Desk, refused: Transcript, overflow: Overflow): () => void {
  const { live, options } = desk;
  const before = { settings: live.settings, factor: live.factor };
  learn(desk, refused, overflow);
  const { settings, factor } = live;
  return () => {
    if (live.factor === factor) live.factor = before.factor;
    if (live.settings === settings && settings !== before.settings) useSettings(live, options, before.settings);
  };
}

function learn(desk: Desk, refused: Transcript, overflow: Overflow): void {
  if (overflow.kind === "payload" && refused.messages.some(hasMedia)) return;
  const { live, estimate, situation } = desk;
  if (overflow.limitTokens !== undefined) learnWindow(desk, overflow.limitTokens);
  const sentTokens = (): number => situation.tokensOf(refused, benchOf(desk));
  const fits = (): boolean => sentTokens() <= live.limits.usableTokens;
  const counted = countedTokens(overflow, live.settings.maxOutputTokens);
  if (counted !== undefined) {
    const estimated = estimate.transcript(refused);
    if (overflow.requestedTokens !== undefined) live.factor = learnFactor(live.factor, counted, estimated);
    // Our count was too low by more than half a correction makes good.
    if (fits()) live.factor = exactFactor(Math.max(counted, live.factor * estimated), estimated);
  }
  if (fits()) learnWindow(desk, Math.floor(sentTokens() * REFUSED_SHARE) + live.settings.maxOutputTokens);
}

/** Input tokens as the provider counted them, or at least so many. */
function countedTokens(
  { limitTokens, requestedTokens, outputTokens = 0 }: Overflow,
  reservedTokens: number,
): number | undefined {
  const counted = requestedTokens === undefined ? (limitTokens ?? 0) - reservedTokens : requestedTokens - outputTokens;
  return counted > 0 ? counted : undefined;
}

/** Downwards only, and never to what cannot be a window. The answer's room shrinks with it. */
function learnWindow({ live, options }: Desk, contextLength: number): void {
  const { settings } = live;
  if (!(contextLength < settings.contextLength && contextLength >= WINDOW_TOKENS_MIN)) return;
  const maxOutputTokens = Math.min(settings.maxOutputTokens, Math.floor(contextLength * RESERVE_SHARE_MAX));
  useSettings(live, options, { ...settings, contextLength, maxOutputTokens });
}

/** An answered request that was larger than a learned window: the window is what it was said to be before. */
export function forgetContradicted({ live, options }: Desk, { input }: Usage): void {
  const { settings, stated } = live;
  if (settings.contextLength < stated.contextLength && input > settings.contextLength)
    useSettings(live, options, { ...settings, ...stated });
}

/** A payload of media may be too large in bytes and small in tokens: it says nothing about the window. */
export function hasMedia({ parts }: Message): boolean {
  const isMedia = (part: Part): boolean =>
    part.kind === "image" || part.kind === "file" || (part.kind === "tool-result" && part.content.some(isMedia));
  return parts.some(isMedia);
}
