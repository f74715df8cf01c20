/**
 * An exchange is the indivisible unit of a transcript: a user or system message, or an assistant message with all
 * the results of its calls. Boundaries are drawn between exchanges only, so a call cannot lose its result to a cut.
 */
import { callsOf, resultOf, type Message } from "./message.ts";

/** Half-open range of message indices. */
export interface Exchange {
  readonly start: number;
  readonly end: number;
}

/** The exchanges of a transcript, in order and without gaps. Orphan results join the exchange before them. */
export function exchangesOf(messages: readonly Message[]): readonly Exchange[] {
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
  if (answeredInOrder(first, messages, start + 1)) return end;
  const open = unanswered(first, messages.slice(start + 1, end));
  if (open.length === 0) return end;
  // A result may come late, behind a message that was typed while the tool ran; the next assistant turn ends the wait.
  for (let at = end; at < messages.length && messages[at]!.role !== "assistant"; at++) {
    const found = open.indexOf(resultOf(messages[at]!)?.callId ?? "\u0000");
    if (found < 0) continue;
    open.splice(found, 1);
    end = at + 1;
  }
  while (end < messages.length && messages[end]!.role === "tool") end++;
  return end;
}

/** Whether each call is answered by the message at its place behind the assistant's, as nearly always. */
function answeredInOrder({ parts }: Message, messages: readonly Message[], from: number): boolean {
  let at = from;
  for (const part of parts) {
    if (part.kind !== "tool-call") continue;
    const result = messages[at++]?.parts[0];
    if (result?.kind !== "tool-result" || result.callId !== part.id) return false;
  }
  return true;
}

/** Ids of the calls that none of `results` answers. Ids repeat in real transcripts, so pairs are made in order, one result to one call. */
export function unanswered(assistant: Message, results: readonly Message[]): string[] {
  const open = callsOf(assistant).map((call) => call.id);
  for (const message of results) {
    const result = resultOf(message);
    const found = result === undefined ? -1 : open.indexOf(result.callId);
    if (found >= 0) open.splice(found, 1);
  }
  return open;
}
