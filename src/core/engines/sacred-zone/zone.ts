/**
 * The sacred zone: what no compaction touches while anything else can give way. The system prompt is in it by itself,
 * because it is next to the conversation.
 */
import { earlierEnd, tailOf, tailStart } from "../../compaction/run/boundaries.ts";
import { isHandoff } from "../../handoff/write.ts";
import { exchangesOf, type Exchange } from "../../transcript/exchanges.ts";
import type { Measure } from "../../transcript/measure.ts";
import type { Message } from "../../transcript/message.ts";

export interface Zone {
  /** Index after the first assistant message: the first request and its answer come before it. */
  readonly firstEnd: number;
  /** The same, moved to where an exchange ends; nothing before it is ever left out but by a restart. */
  readonly headEnd: number;
  /** Where the recent part starts; the last exchange always belongs to it. */
  readonly recentStart: number;
  /** Index after a handoff that is among the messages; 0 without one. */
  readonly earlierEnd: number;
  readonly messages: readonly Message[];
  readonly exchanges: readonly Exchange[];
}

export function zoneOf(messages: readonly Message[], recentTokens: number, measure: Measure): Zone {
  const exchanges = exchangesOf(messages);
  const [opening, answer] = [messages.findIndex(isHandoff), messages.findIndex(({ role }) => role === "assistant")];
  // What follows a handoff is no beginning.
  const hasFirst = answer >= 0 && (opening < 0 || answer < opening);
  const firstEnd = hasFirst ? answer + 1 : 0;
  return {
    firstEnd,
    headEnd: exchanges.find(({ end }) => end >= firstEnd && firstEnd > 0)?.end ?? 0,
    recentStart: tailStart({ messages, exchanges }, 0, tailOf(recentTokens), measure),
    earlierEnd: earlierEnd(messages),
    messages,
    exchanges,
  };
}
