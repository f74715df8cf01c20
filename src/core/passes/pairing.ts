/**
 * Which call each result answers. Ids repeat in real transcripts, so pairs are made in order: a result answers the
 * first open call of its id in the newest turn that has one, and a call is answered once.
 */
import { callsOf, resultOf, type Message, type ToolCallPart } from "../transcript/message.ts";

export interface AskedCall {
  readonly call: ToolCallPart;
  /** Index of the message that made it. */
  readonly message: number;
}

export interface Pairing {
  /** For each message, the call that its result answers; `undefined` for other messages and for orphans. */
  readonly answers: readonly (AskedCall | undefined)[];
  /** Calls without a result, in order. */
  readonly unanswered: readonly AskedCall[];
}

export function pairingOf(messages: readonly Message[]): Pairing {
  const open = new Map<string, AskedCall[]>();
  const answers = messages.map((message, index) => {
    for (const call of callsOf(message)) {
      const asked = open.get(call.id);
      if (asked === undefined) open.set(call.id, [{ call, message: index }]);
      else asked.push({ call, message: index });
    }
    return message.role === "tool" ? take(open, resultOf(message)?.callId) : undefined;
  });
  return { answers, unanswered: [...open.values()].flat().toSorted((a, b) => a.message - b.message) };
}

function take(open: Map<string, AskedCall[]>, id: string | undefined): AskedCall | undefined {
  const asked = id === undefined ? undefined : open.get(id);
  if (asked === undefined || asked.length === 0) return undefined;
  const newest = asked.at(-1)!.message;
  return asked.splice(
    asked.findIndex(({ message }) => message === newest),
    1,
  )[0];
}
