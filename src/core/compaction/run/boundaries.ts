/**
 * Where head, middle and tail meet. Every boundary is between exchanges, so no call is cut from its result.
 * The tail fills a token budget from the end, may exceed it up to the ceiling to keep the exchange at its edge
 * whole, and honours a number of messages while they fit that ceiling.
 */
import { lastHandoffAt } from "../../handoff/write.ts";
import type { Exchange } from "../../transcript/exchanges.ts";
import type { Measure } from "../../transcript/measure.ts";
import type { Message } from "../../transcript/message.ts";

/** Messages at the end that stay whatever they weigh, until the ladder is climbed (Zhang 2026, section 8). */
export const TAIL_MESSAGES_MIN = 3;

export interface TailBudget {
  readonly tokens: number;
  readonly ceilingTokens: number;
  /** Messages honoured while they fit the ceiling. */
  readonly messages: number;
  /** Messages kept even above the ceiling. */
  readonly messagesMin: number;
}

/** A tail of that many tokens, and no more. */
export function tailOf(tokens: number): TailBudget {
  return { tokens, ceilingTokens: tokens, messages: 0, messagesMin: 0 };
}

/** A conversation with its exchanges, found once. */
export interface DividedConversation {
  readonly messages: readonly Message[];
  readonly exchanges: readonly Exchange[];
}

/** The end of the head: the first `count` messages that precis did not write, moved forward to the next exchange, not past `most`. */
export function headEnd({ messages, exchanges }: DividedConversation, count: number, most: number): number {
  if (count === 0) return 0;
  let real = 0;
  for (const { start, end } of exchanges) {
    if (end > most) return start;
    for (let at = start; at < end; at++) if (messages[at]!.origin === undefined) real++;
    if (real >= count) return end;
  }
  return most;
}

/** The index at which the tail starts; never before `from`. The last exchange always belongs to the tail. */
export function tailStart(
  { messages, exchanges }: DividedConversation,
  from: number,
  budget: TailBudget,
  measure: Measure,
): number {
  let start = messages.length;
  let tokens = 0;
  for (let at = exchanges.length - 1; at >= 0 && exchanges[at]!.end > from; at--) {
    const exchange = exchanges[at]!;
    const cost = weigh(messages, exchange, measure);
    const kept = messages.length - start;
    const isLast = kept === 0;
    const fits = tokens + cost <= budget.tokens;
    const edge = tokens < budget.tokens && tokens + cost <= budget.ceilingTokens;
    const honoured = kept < budget.messages && tokens + cost <= budget.ceilingTokens;
    if (!isLast && !fits && !edge && !honoured && kept >= budget.messagesMin) break;
    tokens += cost;
    start = Math.max(exchange.start, from);
  }
  return start;
}

/** Index after the last handoff that is among the messages; 0 without one. */
export function earlierEnd(messages: readonly Message[]): number {
  return lastHandoffAt(messages) + 1;
}

/** Where the last exchange starts; past the end where that is an earlier handoff. */
export function lastStart({ messages, exchanges }: DividedConversation): number {
  return Math.max(exchanges.at(-1)?.start ?? 0, earlierEnd(messages));
}

function weigh(messages: readonly Message[], { start, end }: Exchange, measure: Measure): number {
  return measure.messages(messages.slice(start, end));
}
