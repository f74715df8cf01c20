/**
 * Everyone as one turn of an agent asks them: here is the whole history, what is to be sent? Each turn is made ready in
 * the contestant's own form and then run; only the run is timed. Peers are taken at their best: they trust that the
 * history is the one they know and only grew, read what is new of it, and add up their own count of that.
 */
import { createSession } from "../../../src/index.ts";
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createDecoder, protocols } from "../../../src/protocols/index.ts";
import { createRuntime } from "../../../src/session/runtime.ts";
import type { Conversation } from "../extract.ts";
import type { Contestant, Native } from "./contestant.ts";
import { PRECIS } from "./precis.ts";
import { TRIGGER_TOKENS, WINDOW_TOKENS } from "./prices.ts";
import { leaving } from "./strategies.ts";

/** What peers leave of a history over the trigger: about what precis leaves, and so little that they are seldom due. */
const LEFT_TOKENS = 8_000;

export interface Sent {
  readonly sent: Native | string;
  /** The history was made smaller in this turn; else what was made before was put in place, if anything. */
  readonly made: boolean;
  /** Milliseconds that went into reaching a peer in another process. */
  readonly crossedMs?: number;
}

/** One turn, ready to be run. */
type Turn = () => Promise<Sent>;

/** One conversation: each history continues the one before. */
export type Taking = (history: readonly ChatMessage[]) => Turn;

export interface TurnTaker {
  readonly name: string;
  readonly from: string;
  /** It works on the whole at each turn over the trigger and keeps nothing: some turns say what all of them do. */
  readonly stateless: boolean;
  /** From its own messages to its own messages. */
  readonly native: () => Taking;
  /** From the text of a Chat request to the text of the one to send, in one piece. */
  readonly body: () => Taking;
}

/** Ours as a library, with all that it comes with: a store in memory, no model. */
export function ourTurns(): TurnTaker {
  const settings = { contextLength: WINDOW_TOKENS };
  return {
    name: PRECIS,
    from: "this repository",
    stateless: false,
    native: () => {
      const decoder = createDecoder(protocols["openai-chat"]);
      const runtime = createRuntime({ settings });
      return (history) => {
        const { transcript } = decoder.decode(requestOf(history));
        return async () => {
          const { compaction, tokens, observe, transcript: sent } = await runtime.prepare(transcript);
          observe({ ...NO_USAGE, input: tokens });
          return { sent: sent.messages, made: compaction !== undefined };
        };
      };
    },
    body: () => {
      const session = createSession({ settings });
      return (history) => {
        const text = requestOf(history);
        return async () => {
          const { compaction, tokens, observe, request } = await session.prepare(text);
          observe({ ...NO_USAGE, input: tokens });
          return { sent: inOnePiece(request), made: compaction !== undefined };
        };
      };
    },
  };
}

/** What a provider reports; told to the session, as its host would, and timed too. */
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function peerTurns(peer: Contestant, conversation: Conversation): TurnTaker {
  return {
    name: peer.name,
    from: peer.from,
    stateless: !peer.stands && (peer.weigh !== undefined || peer.slow === true),
    native: () => {
      const { take } = keeping(peer, conversation);
      let known = 0;
      return (history) => {
        const said = peer.read(history.slice(known));
        known = history.length;
        return async () => {
          const { native, made, crossedMs } = await take(said);
          return { sent: native, made, crossedMs };
        };
      };
    },
    body: () => {
      const { take, write } = keeping(peer, conversation);
      let known = 0;
      return (history) => {
        const text = requestOf(history);
        return async () => {
          const request = JSON.parse(text) as ChatRequest;
          const { native, touched, made, crossedMs } = await take(peer.read(request.messages.slice(known)));
          known = request.messages.length;
          const body = touched ? JSON.stringify({ ...request, messages: write(native) }) : text;
          return { sent: inOnePiece(body), made, crossedMs };
        };
      };
    },
  };
}

interface Taken {
  readonly native: Native;
  /** It is not the history as it came. */
  readonly touched: boolean;
  /** And was made so in this turn. */
  readonly made: boolean;
  readonly crossedMs: number;
}

/** A history in a peer's own messages that grows by what is said, and is made smaller by it when it is due. */
function keeping(peer: Contestant, conversation: Conversation) {
  const { compact, write, crossedMs = () => 0 } = peer.on(conversation);
  const size = leaving(peer, LEFT_TOKENS);
  const { stands, weigh } = peer;
  let history: Native = [];
  let tokens = 0;
  let replaced = false;
  const take = async (said: Native): Promise<Taken> => {
    history = [...history, ...said];
    if (weigh !== undefined) {
      tokens += weigh(said);
      if (tokens <= TRIGGER_TOKENS) return { native: history, touched: replaced, made: false, crossedMs: 0 };
    }
    const crossedBeforeMs = crossedMs();
    const native = await compact(history, size);
    if (stands) {
      history = native;
      tokens = weigh?.(native) ?? 0;
      replaced = true;
    }
    return { native, touched: true, made: true, crossedMs: crossedMs() - crossedBeforeMs };
  };
  return { take, write };
}

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
}

function requestOf(messages: readonly ChatMessage[]): string {
  return JSON.stringify({ model: "stub", messages } satisfies ChatRequest);
}

/** Only as bytes can it be sent; until then a text may be pieces that were never put together. */
function inOnePiece(text: string): string {
  Buffer.from(text);
  return text;
}
