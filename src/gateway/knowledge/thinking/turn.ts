/**
 * The turn that is in the middle of a tool loop, as Anthropic reads it: a request that ends in results belongs to the turn
 * that began after the last message in which a person spoke, and that turn has to keep its thinking.
 */
import type { Message, Part, Transcript } from "../../../core/transcript/message.ts";

export interface OpenTurn {
  /** Index behind the last message in which a person spoke. */
  readonly start: number;
  /** The model's first message of the turn. */
  readonly first: number;
  /** Its last. */
  readonly last: number;
}

/** `undefined` where the request does not end in results; a system message behind them begins no new turn. */
export function openTurnOf(messages: readonly Message[]): OpenTurn | undefined {
  const end = messages.findLastIndex(({ role }) => role !== "system");
  if (!carriesResults(messages, end)) return undefined;
  const spoke = messages.findLastIndex(({ role }, at) => role === "user" && !carriesResults(messages, at));
  const first = messages.findIndex(({ role }, at) => at > spoke && role === "assistant");
  if (first < 0) return undefined;
  return { start: spoke + 1, first, last: messages.findLastIndex(({ role }) => role === "assistant") };
}

/** Whether the wire message that this one is written into holds results: its own, or those it comes after. */
function carriesResults(messages: readonly Message[], at: number): boolean {
  const message = messages[at];
  if (message?.role !== "user") return message?.role === "tool";
  let before = at - 1;
  for (; messages[before]?.role === "tool"; before--) if (messages[before]!.wire === message.wire) return true;
  return false;
}

/** A block of thinking, decoded as such or carried as it was. */
function isThinking(part: Part): boolean {
  if (part.kind === "opaque") return part.type === "thinking" || part.type === "redacted_thinking";
  return part.kind === "reasoning";
}

export function opensWithThinking({ parts }: Message): boolean {
  return parts[0] !== undefined && isThinking(parts[0]);
}

export function holdsThinking(messages: readonly Message[]): boolean {
  return messages.some(({ role, parts }) => role === "assistant" && parts.some(isThinking));
}

/** Without the thinking in the messages before `until`. A message without any is the same object. */
export function withoutThinking(transcript: Transcript, until = transcript.messages.length): Transcript {
  const messages = transcript.messages.map((message, at) => {
    if (at >= until || message.role !== "assistant" || !message.parts.some(isThinking)) return message;
    return Object.freeze({ ...message, parts: Object.freeze(message.parts.filter((part) => !isThinking(part))) });
  });
  return { ...transcript, messages };
}
