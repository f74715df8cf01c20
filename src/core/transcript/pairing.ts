/**
 * Which call each result answers. Call ids repeat in real transcripts, within one reply and across turns, so an id alone
 * never names a call: a result answers the first open call of its id in the newest turn that has one, and a call is
 * answered once.
 */
import { callsOf, resultOf, type Message, type ToolCallPart } from "./message.ts";

/** Pairs calls and results while they are read, in the order of the conversation. */
export interface CallPairing<Call> {
  /** `turn` identifies the message that made the call; turns come in ascending order. */
  readonly ask: (id: string, turn: number, call: Call) => void;
  /** The call that a result of this id answers, which is closed by it; `undefined` where none is open. */
  readonly answer: (id: string | undefined) => Call | undefined;
  /** Calls without a result so far, in the order in which they were made. */
  readonly unanswered: () => readonly Call[];
}

/** The calls of one turn that share an id; those before `next` are answered. */
interface SameId<Call> {
  readonly turn: number;
  readonly calls: { readonly call: Call; readonly order: number }[];
  next: number;
}

export function createPairing<Call>(): CallPairing<Call> {
  /** For each id the turns that have an open call of it, newest last. */
  const open = new Map<string, SameId<Call>[]>();
  let asked = 0;
  return {
    ask: (id, turn, call) => {
      const one = { call, order: asked++ };
      const turns = open.get(id);
      const newest = turns?.at(-1);
      if (newest?.turn === turn) newest.calls.push(one);
      else if (turns === undefined) open.set(id, [{ turn, calls: [one], next: 0 }]);
      else turns.push({ turn, calls: [one], next: 0 });
    },
    answer: (id) => {
      const turns = id === undefined ? undefined : open.get(id);
      const newest = turns?.at(-1);
      if (id === undefined || turns === undefined || newest === undefined) return undefined;
      const { call } = newest.calls[newest.next++]!;
      if (newest.next === newest.calls.length) turns.pop();
      if (turns.length === 0) open.delete(id);
      return call;
    },
    unanswered: () =>
      [...open.values()]
        .flatMap((turns) => turns.flatMap(({ calls, next }) => calls.slice(next)))
        .toSorted((a, b) => a.order - b.order)
        .map(({ call }) => call),
  };
}

export interface PairedCall {
  readonly call: ToolCallPart;
  readonly message: number;
}

export interface Pairs {
  /** For each message, the call that its result answers; `undefined` for other messages and for orphans. */
  readonly answers: readonly (PairedCall | undefined)[];
  /** Calls without a result, in order. */
  readonly unanswered: readonly PairedCall[];
}

/** Pairs of lists that nobody changes any more: a compaction asks a dozen times for those of one list. */
const known = new WeakMap<readonly Message[], Pairs>();

export function pairingOf(messages: readonly Message[]): Pairs {
  let pairs = known.get(messages);
  if (pairs === undefined) {
    pairs = pair(messages);
    if (Object.isFrozen(messages)) known.set(messages, pairs);
  }
  return pairs;
}

function pair(messages: readonly Message[]): Pairs {
  const pairing = createPairing<PairedCall>();
  const answers: (PairedCall | undefined)[] = [];
  messages.forEach((message, index) => {
    for (const call of callsOf(message)) pairing.ask(call.id, index, { call, message: index });
    answers.push(message.role === "tool" ? pairing.answer(resultOf(message)?.callId) : undefined);
  });
  return { answers, unanswered: pairing.unanswered() };
}
