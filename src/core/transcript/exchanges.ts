/**
 * An exchange is the indivisible unit of a transcript: a user or system message, or an assistant message with all
 * the results of its calls. Boundaries are drawn between exchanges only, so a call cannot lose its result to a cut.
 */
import type { Message } from "./message.ts";
import { pairingOf } from "./pairing.ts";

/** Half-open range of message indices. */
export interface Exchange {
  readonly start: number;
  readonly end: number;
}

/** Exchanges of lists that nobody changes any more: a compaction asks for those of one list for every form that it tries. */
const known = new WeakMap<readonly Message[], readonly Exchange[]>();

/** The exchanges of a transcript, in order and without gaps. Orphan results join the exchange before them. */
export function exchangesOf(messages: readonly Message[]): readonly Exchange[] {
  const exchanges = known.get(messages) ?? divided(messages);
  if (Object.isFrozen(messages)) known.set(messages, exchanges);
  return exchanges;
}

function divided(messages: readonly Message[]): readonly Exchange[] {
  const exchanges: Exchange[] = [];
  let start = 0;
  while (start < messages.length) {
    const end = endOfExchange(messages, start);
    exchanges.push({ start, end });
    start = end;
  }
  return exchanges;
}

function endOfExchange(messages: readonly Message[], start: number): number {
  let end = start + 1;
  while (end < messages.length && messages[end]!.role === "tool") end++;
  const first = messages[start]!;
  if (first.role !== "assistant") return end;
  // A result may come late, behind a message that was typed while the tool ran; the next assistant turn ends the wait.
  let turnEnd = end;
  while (turnEnd < messages.length && messages[turnEnd]!.role !== "assistant") turnEnd++;
  if (!messages.slice(end, turnEnd).some(({ role }) => role === "tool")) return end;
  const { answers } = pairingOf(messages.slice(start, turnEnd));
  const late = start + 1 + answers.findLastIndex((answered) => answered !== undefined);
  if (late <= end) return end;
  end = late;
  while (end < messages.length && messages[end]!.role === "tool") end++;
  return end;
}
